import { z } from 'zod';
import { isJsonObject } from '../../contracts/json.js';
import { REFERENCES, ROUTES, type RouterAnswer, type RouteTarget } from '../../contracts/routing.js';
import { attempt } from '../../text/attempt.js';

/** The maximum length of an id or another text of a router. Characters. Source: docs/choosing.md#deciding. */
export const LONGEST_TEXT = 200;

const id = z.string().min(1).max(LONGEST_TEXT);
const agent = z.strictObject({ agentId: id });
const tool = z.strictObject({ extensionId: id, capabilityId: id });
const workflow = z.strictObject({ abilityId: id });

/** All but numbers from 0 to 1 count as 0. Source: R-003-10; docs/choosing.md#deciding. */
const confidence = z
  .unknown()
  .optional()
  .transform((value) => (typeof value === 'number' && value >= 0 && value <= 1 ? value : 0));

const answer = z.strictObject({
  decision: z.enum(ROUTES),
  target: z.union([agent, tool, workflow]).nullable(),
  confidence,
  rationale: z.string(),
  references: z.strictObject({ refersTo: z.enum(REFERENCES), refersToReason: z.string() }),
});

const TARGETS: Readonly<Record<string, z.ZodType<RouteTarget>>> = { delegate: agent, tool, workflow };

/** Parses the answer of a model: one JSON object with these keys and no others. Source: R-003-07 to R-003-11. */
export function readRouterAnswer(text: string): { answer: RouterAnswer } | { fault: string } {
  const value = parsed(text);
  if (value === undefined) return { fault: 'It is no JSON object' };
  const read = answer.safeParse(value);
  if (!read.success) return { fault: read.error.issues.map(wordsOf).join('; ') };
  const { decision, target } = read.data;
  const wanted = TARGETS[decision];
  if (wanted && !wanted.safeParse(target).success) return { fault: `target: is not what \`${decision}\` goes to` };
  if (!wanted && target !== null) return { fault: `target: \`${decision}\` goes to none, so it is null` };
  return { answer: read.data };
}

/** Accepts JSON in a Markdown code fence, since models often add one. */
function parsed(text: string): object | undefined {
  const plain = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
  const value: unknown = attempt(() => JSON.parse(plain));
  return isJsonObject(value) ? value : undefined;
}

function wordsOf({ path, message }: z.core.$ZodIssue): string {
  return `${path.length > 0 ? `${path.join('.')}: ` : ''}${message}`;
}
