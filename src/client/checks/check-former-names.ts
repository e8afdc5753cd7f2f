import type { CheckResult } from '../../contracts/check.js';
import { projectOf } from '../../rules/other-project.js';
import type { Connection } from '../connection/connect.js';

/** So many names are looked for. */
const MOST_LOOKED_AT = 100;

/**
 * Whether the project's own server has open tasks of another name: the project was renamed, and nobody serves them.
 *
 * @returns undefined where it has none, or where the server is shared, which has projects of others.
 */
export async function checkFormerNames({ temporal, project, runtime }: Connection): Promise<CheckResult | undefined> {
  if (!runtime) return undefined;
  const names = new Map<string, number>();
  const query = `ExecutionStatus = "Running" AND AbilityProject != "${project}"`;
  let looked = 0;
  for await (const found of temporal.workflow.list({ query, pageSize: MOST_LOOKED_AT })) {
    const name = projectOf(found);
    if (name !== '' && name !== project) names.set(name, (names.get(name) ?? 0) + 1);
    looked += 1;
    if (looked === MOST_LOOKED_AT) break;
  }
  if (names.size === 0) return undefined;
  const counts = [...names].map(([name, count]) => `${count} of ${name}`).join(', ');
  return {
    name: 'renamed',
    status: 'warning',
    message: `Open tasks of a former name of this project wait, and no worker serves them: ${counts}`,
    advice: `Write \`project: ${[...names.keys()][0]}\` in ability.yaml until they have ended.`,
  };
}
