import type { Connection } from '../../client/index.js';
import type { Json } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import type { ToolAnswer, ToolCall } from './mcp-door.js';

/** Adds what an AI reads before its next decision, where that has changed since the last answer. Source: R-002-42. */
export async function withTurnContext(
  { visitor }: ToolCall,
  connection: Connection,
  answer: ToolAnswer,
): Promise<ToolAnswer> {
  try {
    const change = await visitor.session.readChange(connection);
    if (!change) return answer;
    return { ...answer, told: { ...answer.told, turn_context: change as unknown as Json } };
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    // The task was run all the same, and its answer must not be lost.
    const { warnings = [] } = answer.told;
    const all = [...(warnings as string[]), `turn_context cannot be read: ${error.code}: ${error.message}`];
    return { ...answer, told: { ...answer.told, warnings: all } };
  }
}
