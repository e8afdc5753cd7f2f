import { EXIT, type ExitCode } from '../../../contracts/exit-codes.js';
import type { Context } from '../context.js';

/** placeholder */
export async function run(_context: Context): Promise<ExitCode> {
  return EXIT.ok;
}
