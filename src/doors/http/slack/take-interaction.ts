import { setTimeout as wait } from 'node:timers/promises';
import type { JsonObject } from '../../../contracts/json.js';
import { AbilityError } from '../../../contracts/problem.js';
import type { Project } from '../../../definitions/formats/project.js';
import type { Registry } from '../../../definitions/registry.js';
import { decide, findOpen } from '../../../operations/approvals.js';
import { approvalNotFound, approval as decidedOn } from '../../../operations/concerns.js';
import type { OpenProject, OperationCaller } from '../../../operations/operation.js';
import { runOperation, withinRight } from '../../../operations/run-operation.js';
import { coversEnvironment } from '../../../planning/resolve/resolve-environment.js';
import { SecretSource } from '../../../planning/secrets/secret-source.js';
import { personOfSlack } from '../../../rules/rights.js';
import { escapeSlack, oneLine } from '../../../rules/shown-text.js';
import type { HttpDoor } from '../http-door.js';
import { httpProblem } from '../http-problem.js';
import { reserveWait } from '../reserve-wait.js';
import type { HttpAnswer } from '../route.js';
import { COMMENT, dialogFor, readDialog } from './dialog.js';
import type { Interaction } from './read-request.js';

/** Slack shows an error after three seconds. */
const ANSWER_MS = 2500;

/** The Slack app of a project, and the secrets that its door has for it. */
export interface SlackApp {
  slack: NonNullable<Project['slack']>;
  registry: Registry;
  source: SecretSource;
}

/** Undefined where ability.yaml names none. References are read as in the first environment that it asks for. */
export function slackAppOf({ registry: load, env }: Pick<HttpDoor, 'registry' | 'env'>): SlackApp | undefined {
  const registry = load();
  const { slack, environments } = registry.project;
  const [environment = ''] = slack?.environments ?? Object.keys(environments);
  return slack && { slack, registry, source: new SecretSource(registry.root, environment, env) };
}

/**
 * Decides, or opens the dialog of a decision. Who is refused reads why in Slack: in the dialog, or in a message that only they
 * see. What takes longer than Slack waits goes on.
 */
export async function takeInteraction(door: HttpDoor, app: SlackApp, what: Interaction): Promise<HttpAnswer> {
  const done: HttpAnswer = { status: 200, body: '' };
  const acting = act(door, app, what).catch((error: unknown) => refusalOf(door, error));
  const inTime = await Promise.race([acting, wait(ANSWER_MS, null, { ref: false })]);
  if (inTime === '') return done;
  if (inTime !== null && what.values) {
    return { status: 200, body: { response_action: 'errors', errors: { [COMMENT]: inTime } } };
  }
  void acting.then((text) => (text === '' ? undefined : say(door, app, what, text)));
  return done;
}

/** @returns nothing to complain of. @throws AbilityError. */
async function act(door: HttpDoor, app: SlackApp, what: Interaction): Promise<''> {
  const { about, trigger, values } = what;
  const { registry, slack } = app;
  const { task: key, approval: id, verdict } = about;
  if (about.project !== registry.project.project) {
    throw new AbilityError({
      code: 'task.other_project',
      message: `The message is of the project ${oneLine(about.project)}, and this door serves ${registry.project.project}`,
    });
  }
  const caller = callerOf(door, app, what);
  const project: OpenProject = {
    ...door,
    readsOthers: false,
    reserve: (who, task) => reserveWait(door, who, task),
    inSession: (_, __, ___, action) => action(null),
  };
  const asked = { project, rights: caller.rights, right: decide.right };
  const approval = await withinRight(asked, decidedOn, { key, approval: id }, () =>
    door.ask((connection) => findOpen(connection, key, id)),
  );
  // The id may recur, in a later message.
  if (approval.raised_at !== about.raised || !coversEnvironment(slack, approval.what.environment)) {
    throw approvalNotFound(key, id);
  }
  const view = trigger === null ? undefined : dialogFor(approval, about);
  if (view) {
    await call(app, 'views.open', { trigger_id: trigger, view });
    return '';
  }
  const given = { key, approval: id, decision: verdict, ...(values && readDialog(approval, about, values)) };
  const { missing } = await runOperation(decide, project, caller, given, door.closing);
  if (missing > 0)
    void say(door, app, what, `Your decision counts; ${missing} more ${missing > 1 ? 'are' : 'is'} needed.`);
  return '';
}

/** The person whom `people` names; Slack's signature vouches for the id. @throws AbilityError `door.unauthenticated`. */
function callerOf(door: HttpDoor, { registry, slack }: SlackApp, { user }: Interaction): OperationCaller {
  const person = personOfSlack(registry.project.people, user.id);
  if (person === undefined || user.team === undefined) {
    throw new AbilityError({
      code: 'door.unauthenticated',
      message: `No person under \`people\` in ability.yaml has the id ${oneLine(user.id)} in Slack, so nothing was decided`,
    });
  }
  const { rightsOfPerson, doorKey } = door.authentication;
  const subject = `${user.team}/${user.id}`;
  const admitted = { source: 'slack' as const, issuer: new URL(slack.api).host, subject, groups: [] };
  return {
    person: { name: person, source: 'claimed' },
    kind: 'person',
    proof: { token: undefined, door: { admitted, key: doorKey() } },
    rights: rightsOfPerson(person, []),
    name: `slack ${subject}`,
    trace: null,
    session: null,
    scope: door.scope,
  };
}

/** What Slack shows of a failure, of which the operator reads more. */
function refusalOf(door: HttpDoor, error: unknown): string {
  const { code, detail } = httpProblem(error);
  if (!(error instanceof AbilityError)) door.note(`Slack: ${error instanceof Error ? error.stack : String(error)}`);
  return `${code}: ${detail}`;
}

/** In a message that only this person sees. Never fails. */
async function say(door: HttpDoor, app: SlackApp, { about, user }: Interaction, text: string): Promise<void> {
  const body = { channel: about.channel, user: user.id, text: escapeSlack(oneLine(text)) };
  await call(app, 'chat.postEphemeral', body).catch((error: unknown) => door.note(`Slack: ${refusalOf(door, error)}`));
}

async function call({ slack, registry, source }: SlackApp, method: string, body: JsonObject): Promise<JsonObject> {
  const { callSlack } = await import('../../../worker/call-slack.js');
  const { allowed_hosts } = registry.project.policy;
  return callSlack({ ...slack, ...(allowed_hosts && { allowed_hosts }) }, source, method, body);
}
