import type { JsonObject } from '../../contracts/json.js';
import { memberOf, partOf } from './document-parts.js';

/** The addresses of all services in a configuration that an import brings. */
export function addressesIn(config: JsonObject | undefined): string[] {
  return Object.values(partOf(memberOf(config, 'services')))
    .flatMap((service) => Object.values(partOf(memberOf(service, 'endpoints'))))
    .filter((address): address is string => typeof address === 'string' && URL.canParse(address));
}
