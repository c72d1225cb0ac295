// Holds GLB files to the Khronos validator: `node host/tests/gltf_validator.mjs PACKAGES FILE...`, where PACKAGES is the folder in
// which `npm install gltf-validator` put it. Prints one line for each file; anything that is an error or a warning fails.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [packages, ...files] = process.argv.slice(2);
if (!packages || files.length === 0) {
    console.error("usage: node gltf_validator.mjs PACKAGES FILE...");
    process.exit(2);
}
const validator = createRequire(resolve(packages, "package.json"))("gltf-validator");

let failed = false;
for (const file of files) {
    const bytes = new Uint8Array(readFileSync(file));
    const { issues, info } = await validator.validateBytes(bytes, { uri: file, maxIssues: 100 });
    console.log(
        `${file}: ${issues.numErrors} errors, ${issues.numWarnings} warnings, ${issues.numInfos} infos; ` +
            `${info.animationCount} animations, ${info.drawCallCount} draw calls, ${info.totalTriangleCount} triangles`,
    );
    for (const { severity, code, message, pointer } of issues.messages) {
        if (severity < 2) {
            console.log(`    ${code} ${pointer ?? ""}: ${message}`);
            failed = true;
        }
    }
    failed ||= issues.numErrors + issues.numWarnings > 0;
}
process.exit(failed ? 1 : 0);
