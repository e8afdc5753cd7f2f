/**
 * An AI of the acceptance scenarios: a program that gets what the protocol shows an AI, on stdin, and nothing else of the project. It goes by
 * what abilities say of themselves, by the turn context and by results; `LATEST_BUILD` is what it knows of the world.
 */
import { readFileSync } from 'node:fs';

const { turn_context, prompt, abilities, results } = JSON.parse(readFileSync(0, 'utf8'));
const build = process.env.LATEST_BUILD ?? '1';
const denied = turn_context.hook_signals.ability_guards.filter(({ decision }) => decision === 'deny');

const wordsOf = (text) =>
  new Set(
    text
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter((word) => word.length > 2),
  );
/** How many words of the request an ability says. */
const shared = ({ id, summary }) => [...wordsOf(prompt)].filter((word) => wordsOf(`${id} ${summary}`).has(word)).length;
const find = (...words) => abilities.find(({ id }) => words.every((word) => id.includes(word)));
const done = (id) => results.find((one) => one.id === id && one.status === 'succeeded');
const say = (answer) => process.stdout.write(JSON.stringify(answer));

if (denied.length > 0) {
  const [{ ability_id, reason }] = denied;
  say({ plan: [], answer: `I did not go on: ${ability_id} is denied (${reason}). Shall I do it another way?` });
} else if (/^(create|delete)/i.test(prompt)) {
  carryOut();
} else {
  runRegression();
}

/** One ability for one request. */
function carryOut() {
  if (results.length > 0) return say({ plan: [], answer: `It is ${results.at(-1).status}.` });
  const [best] = [...abilities].sort((a, b) => shared(b) - shared(a));
  const [, name] = /"(.+)"/.exec(prompt);
  say({ plan: [{ id: 'only', ability_id: best.id, input: { [Object.keys(best.input_schema.properties)[0]]: name } }] });
}

/** The ability that is made for it; where there is none, its parts. */
function runRegression() {
  const whole = find('signup', 'e2e');
  if (whole) {
    if (results.length > 0)
      return say({ plan: [], answer: `The regression of build ${build}: ${results.at(-1).status}.` });
    return say({ plan: [{ id: 'regression', ability_id: whole.id, input: { build_id: build } }] });
  }
  if (done('logs'))
    return say({ plan: [], answer: `Build ${build} signs users up, with ${done('logs').output.count} errors.` });
  if (results.length > 0) return say({ plan: [], answer: `It did not go well: ${results.at(-1).status}.` });
  const email = `u-${build}@example.test`;
  say({
    plan: [
      { id: 'seed', ability_id: find('write', 'user').id, input: { user_id: `u-${build}`, email } },
      { id: 'signup', ability_id: find('signup').id, input: { email }, after: ['seed'] },
      {
        id: 'logs',
        ability_id: find('logs').id,
        input: { severity: 'error', text: email, window: '10m' },
        after: ['signup'],
      },
    ],
  });
}
