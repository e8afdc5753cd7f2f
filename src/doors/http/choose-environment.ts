import type { Registry } from '../../definitions/registry.js';
import { chooseEnvironment, resolveEnvironment } from '../../planning/resolve/resolve-environment.js';
import type { HttpDoor } from './http-door.js';

/** The environment of a request: its own, the door's, the project's choice. @throws AbilityError `config.no_environment`, `environment.not_found`. */
export function environmentOf(
  { environment }: Pick<HttpDoor, 'environment'>,
  registry: Registry,
  asked: string | undefined,
): string {
  return resolveEnvironment(registry, chooseEnvironment(registry.project, asked ?? environment)).name;
}
