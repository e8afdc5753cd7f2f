import { Context } from '@temporalio/activity';
import { WORKFLOWS } from '../../contracts/names.js';
import { AbilityError } from '../../contracts/problem.js';
import type { SignedWord } from '../../contracts/session.js';
import { toFailure } from '../failures.js';
import type { SealKeys } from '../seal.js';
import { verifyWord } from './session-word.js';

/** Checks for a session that a worker of the project signed a word to it. It changes nothing. */
export function createCheckWord({ keys }: { keys: SealKeys }): (word: SignedWord) => Promise<void> {
  return async (word) => {
    const { workflowType, workflowExecution } = Context.current().info;
    try {
      if (workflowType !== WORKFLOWS.session || !workflowExecution) {
        throw new AbilityError({ code: 'seal.invalid', message: 'Only a session has words checked' });
      }
      verifyWord(word, workflowExecution.workflowId, keys);
    } catch (error) {
      throw toFailure(error);
    }
  };
}
