"""Holds an exported USD stage to the OBJ files of the same recording: usd_check.py STAGE.usda FOLDER.

Asks for Pixar's own reader (pip install usd-core). In every tenth frame, and around births and deaths, the same bodies are to
be seen, and each has the same points in the same places."""

import pathlib
import sys

from pxr import Usd, UsdGeom, UsdShade

TOLERANCE = 3e-5


def objects(path):
    """The points of each object of an OBJ file."""
    found = {}
    for line in path.read_text().splitlines():
        if line.startswith("o "):
            points = found.setdefault(line[2:], [])
        elif line.startswith("v "):
            points.append(tuple(float(word) for word in line.split()[1:4]))
    return found


def cells(points, size):
    grid = {}
    for point in points:
        grid.setdefault(tuple(int(part // size) for part in point), []).append(point)
    return grid


def farthest(points, grid, size):
    """How far the point with the farthest neighbour in a grid is from it, or infinity beyond a cell."""
    worst = 0.0
    for point in points:
        x, y, z = (int(part // size) for part in point)
        near = (q for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1) for q in grid.get((x + i, y + j, z + k), ()))
        worst = max(worst, min((sum((a - b) ** 2 for a, b in zip(point, q)) for q in near), default=float("inf")) ** 0.5)
    return worst


def main(stage_path, folder):
    stage = Usd.Stage.Open(stage_path)
    files = sorted(pathlib.Path(folder).glob("frame_*.obj"))
    assert UsdGeom.GetStageUpAxis(stage) == "Y" and UsdGeom.GetStageMetersPerUnit(stage) == 1
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0, len(files) - 1)
    assert stage.GetTimeCodesPerSecond() > 0 and stage.GetDefaultPrim().GetName() == "World"
    bodies = [prim for prim in stage.GetPrimAtPath("/World").GetChildren() if prim.HasAttribute("fracas:body")]
    changes = {0, len(files) - 1}
    for prim in bodies:
        for time in UsdGeom.Imageable(prim).GetVisibilityAttr().GetTimeSamples():
            changes.update((int(time) - 1, int(time)))
        for mesh in prim.GetChildren():
            binding, _ = UsdShade.MaterialBindingAPI(mesh).ComputeBoundMaterial()
            assert binding, f"{mesh.GetPath()} has no material"
            assert UsdGeom.Mesh(mesh).GetNormalsAttr().Get(0), f"{mesh.GetPath()} has no normals"
            for subset in mesh.GetChildren():
                binding, _ = UsdShade.MaterialBindingAPI(subset).ComputeBoundMaterial()
                assert binding, f"{subset.GetPath()} has no material"
    frames = sorted(set(range(0, len(files), 10)) | {frame for frame in changes if 0 <= frame < len(files)})
    worst = 0.0
    for frame in frames:
        expected = objects(files[frame])
        cache = UsdGeom.XformCache(frame)
        seen = {}
        for prim in bodies:
            points = []
            for mesh in prim.GetChildren():
                if UsdGeom.Imageable(mesh).ComputeVisibility(frame) == "invisible":
                    continue
                place = cache.GetLocalToWorldTransform(mesh)
                points += [tuple(place.Transform(point)) for point in map(tuple, UsdGeom.Mesh(mesh).GetPointsAttr().Get(frame))]
            if points:
                seen[prim.GetName()] = points
        assert seen.keys() == expected.keys(), f"frame {frame}: {seen.keys() ^ expected.keys()}"
        for name, points in seen.items():
            size = 1e-3
            off = max(farthest(points, cells(expected[name], size), size), farthest(expected[name], cells(points, size), size))
            assert off < TOLERANCE, f"{name} in frame {frame} is off by {off}"
            worst = max(worst, off)
    print(f"{stage_path}: {len(bodies)} bodies in {len(frames)} of {len(files)} frames agree to {worst:.1e}")


main(*sys.argv[1:])
