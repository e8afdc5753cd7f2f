import { z } from 'zod';
import { AbilityError } from '../../../contracts/problem.js';
import { answer } from '../../../operations/operation.js';
import type { HttpDoor } from '../http-door.js';
import { defineRoute, type Route } from '../route.js';
import { readInteraction, readSignature, TakenRequests } from '../slack/read-request.js';
import { type SlackApp, slackAppOf, takeInteraction } from '../slack/take-interaction.js';
import { countingRefusals, forOperator } from './webhooks.js';

const taken = new WeakMap<HttpDoor, TakenRequests>();

/** Decisions of people in Slack, admitted by Slack's signature. Source: docs/approvals.md#in-slack. */
export const slackRoute: Route = defineRoute({
  name: 'receiveSlackInteraction',
  method: 'POST',
  path: '/v1/slack/interactions',
  summary: 'What people click and fill in in Slack: decisions on approvals, signed by Slack.',
  right: null,
  body: z.strictObject({ payload: z.string().describe('JSON: `block_actions` or `view_submission` of Slack.') }),
  takes: 'form',
  bytes: 256 * 1024,
  headers: {
    'X-Slack-Signature': 'The signature of Slack, over the time and the body.',
    'X-Slack-Request-Timestamp': 'When Slack signed it, in seconds since 1970.',
  },
  answers: answer(
    'It was received. Without a body, unless a dialog shows an error: who clicked reads in Slack what came of it.',
    z.looseObject({ response_action: z.literal('errors'), errors: z.record(z.string(), z.string()) }),
  ),
  countsItself: true,
  refuseUnread({ headers, door, count }) {
    countingRefusals(count, () => {
      readSignature(headers);
      appOf(door);
    });
  },
  async handle({ door, headers, body, count }) {
    const bytes = body as unknown as Buffer;
    const app = countingRefusals(count, () => {
      const app = appOf(door);
      const secret = forOperator(() => app.source.resolve(app.slack.signing_secret, 'signing secret of the Slack app'));
      const known = taken.get(door) ?? new TakenRequests();
      taken.set(door, known);
      known.take(secret, headers, bytes, Date.now());
      return app;
    });
    count('slack');
    return takeInteraction(door, app, readInteraction(bytes));
  },
});

function appOf(door: HttpDoor): SlackApp {
  const app = forOperator(() => slackAppOf(door));
  if (app) return app;
  throw new AbilityError({ code: 'door.no_route', message: 'ability.yaml names no Slack app: it has no `slack`' });
}
