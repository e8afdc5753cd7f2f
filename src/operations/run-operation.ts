import type { z } from 'zod';
import { AbilityError } from '../contracts/problem.js';
import { isAllowed, isLimited, type Place } from '../rules/rights.js';
import { startOf } from '../rules/shown-text.js';
import { didYouMean } from '../text/nearest.js';
import type { Asked, Concern, OpenProject, Operation, OperationCaller } from './operation.js';

/**
 * Runs an operation as far as its caller has the right: the only way in which doors run one. Rights without limits cost
 * nothing here. @throws AbilityError `door.forbidden`, or that what the caller may not read is unknown; that of the operation.
 */
export async function runOperation<Input extends z.ZodObject, Output>(
  operation: Operation<Input, Output>,
  project: OpenProject,
  caller: OperationCaller,
  input: z.output<Input>,
  signal: AbortSignal,
): Promise<Output> {
  const { right, concerns } = operation;
  const run = () => operation.run(project, caller, input, signal);
  if (typeof concerns === 'function') {
    return withinRight({ project, rights: caller.rights, right }, concerns, input, run);
  }
  const { rights } = caller;
  if (!isLimited(rights, right)) return run();
  const may = (place: Place): boolean => isAllowed(rights, right, place);
  return concerns.each(await run(), may, { input, project });
}

/** Acts on what a right holds for. @throws AbilityError as {@link runOperation}. */
export async function withinRight<Input, T>(
  asked: Asked,
  concern: Concern<Input>,
  input: Input,
  action: () => Promise<T>,
): Promise<T> {
  if (!isLimited(asked.rights, asked.right)) return action();
  await concern(asked, input);
  return action().catch((error: unknown) => {
    throw withoutNames(error);
  });
}

/** The nearest ability, and what holds a key, may be none that the caller may read. */
function withoutNames(error: unknown): unknown {
  if (!(error instanceof AbilityError)) return error;
  const { code, message } = error;
  if (code === 'ability.not_found') return new AbilityError({ code, message });
  if (code !== 'task.key_conflict') return error;
  return new AbilityError({ code, message: 'The key belongs to another task', suggestion: 'Choose another key.' });
}

/** @throws AbilityError `usage.invalid` with the place. */
export function readInputOf<Input extends z.ZodObject>(
  name: string,
  { input: format }: { input: Input },
  given: object,
): z.output<Input> {
  const { success, data, error } = format.safeParse(given);
  if (success) return data;
  const unknown = Object.keys(given).find((field) => !(field in format.shape));
  const [issue] = error.issues;
  throw new AbilityError({
    code: 'usage.invalid',
    message: `${name}: ${issue?.path.map((part) => `${String(part)}: `).join('')}${startOf(issue?.message ?? '', 500)}`,
    ...(unknown !== undefined && { suggestion: didYouMean(unknown, Object.keys(format.shape)) }),
  });
}
