import type { PreflightAnswer } from '../../contracts/task.js';
import type { McpDoor } from '../mcp/mcp-door.js';

/** What `ability serve` says of how it serves agents. */
export interface McpOptions extends Pick<McpDoor, 'expose' | 'skill' | 'lend' | 'typed' | 'patienceMs' | 'lookMs'> {
  /** As {@link McpDoor.review}. */
  review(answer: PreflightAnswer): Promise<void>;
  /** How often tokens are looked at whether they still open the door, in milliseconds. */
  tokensMs: number;
}
