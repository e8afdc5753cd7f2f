import type { NewTask } from '../../../../client/index.js';
import { AbilityError } from '../../../../contracts/problem.js';
import type { Registry } from '../../../../definitions/registry.js';
import type { Context } from '../../program/context.js';

const MAX_NAMED = 5;

/** What a start insists on; empty without `--strict`, where the worker warns if its definitions differ. */
export type Strict = Pick<NewTask, 'registry' | 'review'>;

/**
 * With `--strict`, the worker refuses if its definitions differ from those here, and nothing runs before the scripts
 * of its plan were compared with those here. @throws AbilityError `config.registry_differs`, from the review.
 */
export function strictly({ flags }: Pick<Context, 'flags'>, registry: Registry): Strict {
  if (!flags.strict) return {};
  return {
    registry: registry.digest,
    async review({ plan }) {
      const { changedScripts } = await import('../../../../planning/scripts/script-files.js');
      const changed = changedScripts(registry.root, plan);
      if (changed.length > 0) throw differs(changed);
    },
  };
}

function differs(changed: readonly string[]): AbilityError {
  const more = changed.length > MAX_NAMED ? ` and ${changed.length - MAX_NAMED} more` : '';
  return new AbilityError({
    code: 'config.registry_differs',
    message: `Scripts of the worker differ from those here: ${changed.slice(0, MAX_NAMED).join(', ')}${more}, and --strict was given`,
    suggestion: 'Deploy these scripts to the workers, or leave out --strict.',
  });
}
