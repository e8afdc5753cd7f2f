import { within } from '../../definitions/spot.js';
import type { Resolver } from '../../planning/resolve/choose-implementation.js';
import { outputFormOf } from '../../planning/resolve/resolve-output.js';
import { resolveScript } from '../../planning/scripts/resolve-script.js';

export const resolveScriptSection: Resolver<'script'> = (
  { script: written },
  { registry, chosen, variables, hasOutputSchema },
) => {
  const definition = { ...written, env_profile: chosen.settings?.env_profile ?? written.env_profile };
  const script = resolveScript(registry, definition, within(chosen, 'script'), variables);
  const output = outputFormOf(written, hasOutputSchema);
  return { kind: 'script', script: { ...script, ...(output !== 'json' && { output }) } };
};
