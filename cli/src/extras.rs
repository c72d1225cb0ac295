//! What a node of a GLB file says about a piece: what an engine needs to know to move it.

use fracas::geometry::MassProperties;
use serde_json::{Value, json};

/// What the nodes say of mass: kg, m³, m, kg m²; the inertia is about the centre of mass, in the axes of the node, row by row.
pub(crate) fn put_mass(extras: &mut Value, mass: &MassProperties, density: f64) {
    let MassProperties { volume, centroid, inertia } = mass;
    // Rows and columns are the same.
    let inertia = (*inertia * density).to_cols_array_2d();
    extras["density"] = json!(density);
    extras["mass"] = json!(density * volume);
    extras["volume"] = json!(volume);
    extras["center_of_mass"] = json!(centroid.to_array());
    extras["inertia"] = json!(inertia);
}
