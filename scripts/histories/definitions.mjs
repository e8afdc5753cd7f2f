// Definitions of the projects that are recorded.

/** What a script is given besides its input and the file for its output; without it, what the default says. */
function argsOf(args) {
  return args.length === 0
    ? ''
    : `, args: ${JSON.stringify(['--input', '{input_file}', '--output', '{output_file}', ...args])}`;
}

/** An operation whose script has this body; `input` is what it was given. */
export function operation(key, body, { effects = 'read', more = '', tags = '', args = [] } = {}) {
  return {
    [`registry/low-level/${key}.yaml`]: [
      `operation_key: ${key}`,
      'version: 1',
      `summary: The operation ${key}.`,
      `effects: ${effects}`,
      more,
      `implementation: { kind: script${tags}, script: { path: scripts/${key}.mjs${argsOf(args)} } }`,
    ].join('\n'),
    [`scripts/${key}.mjs`]: [
      "import { existsSync, readFileSync, writeFileSync } from 'node:fs';",
      'const at = (name) => process.argv[process.argv.indexOf(name) + 1];',
      "const input = JSON.parse(readFileSync(at('--input'), 'utf8'));",
      'const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));',
      'void existsSync, sleep;',
      `const body = async () => { ${body} };`,
      "writeFileSync(at('--output'), JSON.stringify((await body()) ?? null));",
    ].join('\n'),
  };
}

/** A high-level ability. */
export const workflow = (id, yaml) => ({
  [`registry/high-level/${id}.yaml`]: `id: ${id}\ntype: workflow\nversion: 1\nsummary: A recorded workflow.\n${yaml}\n`,
});
