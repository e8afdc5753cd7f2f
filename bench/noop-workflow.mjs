// A workflow whose update does nothing: what an update costs at least, beside which the prompts of a session are measured.
import { condition, defineUpdate, setHandler } from '@temporalio/workflow';

export async function noop() {
  let isOver = false;
  setHandler(defineUpdate('nothing'), () => {});
  setHandler(defineUpdate('end'), () => {
    isOver = true;
  });
  await condition(() => isOver);
}
