// Prints the software bill of materials of what is installed with the package, in CycloneDX, from the lock file.
// `npm sbom --omit dev` also leaves out what both the package and its development need.
import { execFileSync } from 'node:child_process';

const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
const sbom = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 }));
const isDevelopment = ({ properties = [] }) => properties.some(({ name }) => name === 'cdx:npm:package:development');
const left = new Set(sbom.components.filter(isDevelopment).map((component) => component['bom-ref']));
const components = sbom.components.filter((component) => !left.has(component['bom-ref']));
const dependencies = sbom.dependencies
  .filter(({ ref }) => !left.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => !left.has(other)) }));
process.stdout.write(`${JSON.stringify({ ...sbom, components, dependencies }, null, 2)}\n`);
