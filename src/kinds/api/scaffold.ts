import { EFFECTS_OF_METHODS, METHODS } from '../../authoring/choices.js';
import { checkForm, configureAbility } from '../../authoring/scaffold/scaffold.js';
import type { Scaffolded } from '../../authoring/scaffold/scaffolded.js';
import { flowYaml } from '../../authoring/write-yaml.js';
import { serviceUrl } from '../../definitions/formats/values.js';
import { api } from './format.js';

export const scaffoldedApi: Scaffolded<'api'> = {
  isStub: false,
  effects({ method }) {
    const known = METHODS.find((each) => each === method);
    return known === undefined ? 'destructive' : EFFECTS_OF_METHODS[known];
  },
  /** The names in its path. */
  inputs: ({ path }) => [...new Set([...path.matchAll(/\{\+?([^}]+)\}/g)].map(([, name = '']) => name))],
  plan(draft, site, { method, path, endpoint }, { id, operation }) {
    checkForm(serviceUrl, endpoint, 'address of a service');
    checkForm(api, { method, path }, 'request of an implementation');
    const settings = site.registry.configs.get(operation)?.value.environments?.[site.environment];
    // Another implementation may use the name `default` already.
    const used = settings?.endpoints?.default;
    const name = used === undefined || used === endpoint ? 'default' : id;
    if (settings?.endpoints?.[name] !== endpoint) {
      configureAbility(draft, site, operation, ['environments', site.environment, 'endpoints', name], endpoint);
    }
    const named = name === 'default' ? '' : ` endpoint: ${flowYaml(name)},`;
    return `kind: api\napi: { method: ${method}, path: ${flowYaml(path)},${named} timeout_sec: 30 }`;
  },
};
