import type { Plan, PlanFiles } from '../../contracts/plan.js';
import type { Project } from '../../definitions/formats/project.js';
import { makesFiles } from '../../rules/makes-files.js';
import { parseBytes } from '../../text/byte-size.js';
import { asksForFiles } from '../input/json-schema/file-format.js';
import { filePlaces } from '../input/json-schema/file-places.js';

/** What a plan says of files; nothing where no call makes any and the input holds none. */
export function filesOf(
  { policy }: Project,
  { ability, operations }: Pick<Plan, 'ability' | 'operations'>,
): { files?: PlanFiles } {
  const hasInput = asksForFiles(ability.input_schema);
  if (!hasInput && !Object.values(operations).some(makesFiles)) return {};
  return {
    files: {
      ...(hasInput && { input: true, at: filePlaces(ability.input_schema) }),
      ...(policy.max_file !== undefined && { file_bytes: parseBytes(policy.max_file) as number }),
      ...(policy.max_task_files !== undefined && { task_bytes: parseBytes(policy.max_task_files) as number }),
    },
  };
}
