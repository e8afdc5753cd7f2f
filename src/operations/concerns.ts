/**
 * What operations act on: each finds out the ability and the environment, and refuses those where the right does not hold.
 * What a caller may not read does not exist for it: it gets the very answer that an unknown key gets.
 */
import {
  type Connection,
  grantNotFound,
  placeOfGrant,
  placeOfSchedule,
  placeOfSession,
  placeOfTask,
  readApprovals,
  scheduleNotFound,
  taskNotFound,
} from '../client/index.js';
import type { Right, Rights } from '../contracts/access.js';
import { AbilityError } from '../contracts/problem.js';
import { chooseEnvironment } from '../planning/resolve/resolve-environment.js';
import { EVERYWHERE, hasRight, isAllowed, isAllowedIn, limitsInWords, type Place } from '../rules/rights.js';
import { sessionNotFound } from '../rules/sessions/session-refusals.js';
import type { Asked, Concern } from './operation.js';

/** Nothing of a single ability: the right must hold everywhere. */
export const wholeProject: Concern<object> = ({ rights, right }) => refuseUnlessAllowed(rights, right, EVERYWHERE);

/** The ability in `id`. */
export const ability: Concern<{ id: string; environment?: string | undefined }> = (asked, { id, environment }) =>
  refuseUnlessAllowed(asked.rights, asked.right, { ability: id, environment: environmentFor(asked, environment) });

interface Started {
  ability?: string | undefined;
  environment?: string | undefined;
  session?: string | undefined;
  prompt?: string | undefined;
}

/** The ability that is started: all of them where it is chosen later; and the session that it joins. */
export const start: Concern<Started> = async (asked, { ability: id, environment, session: joined, prompt }) => {
  if (prompt !== undefined) return wholeProject(asked, {});
  refuseUnlessAllowed(asked.rights, asked.right, { ability: id, environment: environmentFor(asked, environment) });
  if (joined !== undefined) await session(asked, { id: joined });
};

/** The task in `key`: its own ability; what that calls is part of it. */
export const task: Concern<{ key: string }> = (asked, { key }) =>
  refuseHidden(
    asked,
    (connection) => placeOfTask(connection, key),
    () => taskNotFound(key),
  );

/** The schedule in `name`: the ability that it starts. */
export const schedule: Concern<{ name: string }> = (asked, { name }) =>
  refuseHidden(
    asked,
    (connection) => placeOfSchedule(connection, name),
    (connection) => scheduleNotFound(connection, name),
  );

/** The session in `id`, which may hold tasks of any ability of its environment. */
export const session: Concern<{ id: string }> = (asked, { id }) =>
  refuseHidden(
    asked,
    async (connection) => ({ ability: undefined, environment: await placeOfSession(connection, id) }),
    ({ project }) => sessionNotFound(id, project),
  );

/** The session that a door keeps for the caller itself: the right must hold for some ability there. */
export const ownSession: Concern<object> = (asked) => {
  const { rights, right } = asked;
  const environment = environmentFor(asked, undefined);
  if (!isAllowedIn(rights, right, environment)) throw forbidden(rights, right, { ability: undefined, environment });
};

/** What is approved, whichever task it is asked through. The id of an approval is a digest of that. */
export const approval: Concern<{ key: string; approval: string }> = ({ project, rights }, { key, approval: id }) =>
  project.ask(async (connection) => {
    const found = await placeOfTask(connection, key);
    const isReadable = found !== undefined && isAllowed(rights, 'read', found);
    const open = found ? await readApprovals(connection, key).catch(isReadable ? undefined : () => []) : [];
    const what = open.find((one) => one.id === id)?.what;
    if (what && isAllowed(rights, 'approve', what)) return;
    if (!isReadable) throw taskNotFound(key);
    throw what ? forbidden(rights, 'approve', what) : approvalNotFound(key, id);
  });

/** The grant in `id`: the ability that it allows to call. */
export const grant: Concern<{ id: string }> = (asked, { id }) =>
  refuseHidden(
    asked,
    (connection) => placeOfGrant(connection, id),
    () => grantNotFound(id),
  );

export function approvalNotFound(key: string, id: string): AbilityError {
  return new AbilityError({
    code: 'approval.not_found',
    message: `${key} has no open approval ${id}`,
    suggestion: `See what is open: GET /v1/tasks/${encodeURIComponent(key)}/approvals.`,
  });
}

/** @param notFound as of an unknown one. */
function refuseHidden(
  { project, rights, right }: Asked,
  find: (connection: Connection) => Promise<Place | undefined>,
  notFound: (connection: Connection) => AbilityError,
): Promise<void> {
  return project.ask(async (connection) => {
    const place = await find(connection);
    if (place && isAllowed(rights, right, place)) return;
    if (!place || !isAllowed(rights, 'read', place)) throw notFound(connection);
    throw forbidden(rights, right, place);
  });
}

function refuseUnlessAllowed(rights: Rights, right: Right, place: Place): void {
  if (!isAllowed(rights, right, place)) throw forbidden(rights, right, place);
}

/** @throws AbilityError `config.no_environment`. */
function environmentFor({ project }: Asked, named: string | undefined): string {
  return chooseEnvironment(project.registry().project, named ?? project.environment);
}

function forbidden(rights: Rights, right: Right, { ability: id, environment }: Place): AbilityError {
  const limits = (rights[right] ?? []).map(limitsInWords).join('; ');
  const what = `${id ?? 'every ability'} in ${environment ?? 'every environment'}`;
  return new AbilityError({
    code: 'door.forbidden',
    message: hasRight(rights, right)
      ? `The right ${right} does not hold for ${what}; it holds for ${limits}`
      : `The right ${right} is missing`,
    suggestion: 'Ask for it who keeps `access` in ability.yaml, or for a token with other limits.',
  });
}
