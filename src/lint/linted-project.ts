import type { Finding } from '../contracts/findings.js';
import type { Registry } from '../definitions/registry.js';
import type { YamlSource } from '../definitions/yaml-source.js';
import type { EnvironmentVariables } from '../planning/secrets/secret-source.js';

/** What a check looks at. */
export interface LintedProject {
  registry: Registry;
  /** Every file that is YAML. */
  sources: readonly YamlSource[];
  /** What workers would see; undefined: nobody asked whether credentials are set. */
  variables: ((environment: string) => EnvironmentVariables) | undefined;
}

/** Looks for one kind of mistake in a whole project. */
export type Check = (project: LintedProject) => Iterable<Finding>;
