/** How the demo looks: numbered sections, the command lines it runs, their output indented. */
import { styleText } from 'node:util';

const isColored = process.stdout.isTTY && !process.env.NO_COLOR;
let sections = 0;
let atLineStart = true;

function style(format, text) {
  return isColored ? styleText(format, text) : text;
}

/** Begins a section. */
export function showSection(title) {
  sections += 1;
  process.stdout.write(`\n${style('bold', `${sections}. ${title}`)}\n`);
}

/** Says something about what comes. */
export function showText(...lines) {
  process.stdout.write(`\n${lines.map((line) => `   ${line}\n`).join('')}`);
}

/** A command line as people would type it. */
export function showCommand(args) {
  const words = args.map((word) => (/^[\w.,:=@/-]+$/.test(word) ? word : `'${word}'`));
  process.stdout.write(`\n   ${style('cyan', `$ npx ability ${words.join(' ')}`)}\n`);
  atLineStart = true;
}

/** Output of a command, which comes in pieces. */
export function showOutput(text) {
  const indented = text.replaceAll(/\n(?!$)/g, '\n     ');
  process.stdout.write((atLineStart ? '     ' : '') + indented);
  atLineStart = text.endsWith('\n');
}

/** How a command ended. */
export function showExit(code) {
  process.stdout.write(`${atLineStart ? '' : '\n'}     ${style('dim', `exit ${code}`)}\n`);
  atLineStart = true;
}
