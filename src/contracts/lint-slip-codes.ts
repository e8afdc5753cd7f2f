import type { LintMeaning } from './lint-codes.js';

/** Findings about definitions that load and run, and do something else than they seem to. Source: issue "Definitions people can trust". */
export const SLIP_CODES = {
  'lint.approve_gap': {
    severity: 'warning',
    means: 'An environment asks for approval of an effect, and not of a graver one.',
    why: 'The graver calls run there without anybody being asked.',
    fix: 'List the graver effects under `approve`, too.',
  },
  'lint.concurrency_disagrees': {
    severity: 'warning',
    means: 'Two abilities share a concurrency key and do not agree on `limit` or `on_busy`.',
    why: 'Each task goes by its own, so that more of them may be in at once than the stricter ability allows.',
    fix: 'Give both the same `limit` and `on_busy`, or put the id of the ability into the key.',
  },
  'lint.effect_too_mild': {
    severity: 'warning',
    means: 'An ability says that it only reads, and its implementation looks as if it changed something.',
    why: 'What only reads is repeated after errors, needs no approval, and passes guards on writes.',
    fix: 'Write the effect that it has under `effects`, or give it a name that says what it does.',
  },
  'lint.environment_unprotected': {
    severity: 'warning',
    means: 'An environment is called like production and is not protected.',
    why: 'Guards ask for `environment.protected`, and people may approve there what they asked for themselves.',
    fix: 'Write `protected: true`; where nothing needs protection, `protected: false`.',
  },
  'lint.file_not_pinned': {
    severity: 'warning',
    means:
      'A script reaches for a file by its own place (`$0`, `__dirname`, `import.meta.url`, `__file__`), and `files` does not name it.',
    why: 'A script runs from a copy of what is pinned with it; the file is not there, and may be edited after an approval.',
    fix: 'Name it under `files`; reach for what is to be the file of the day from ABILITY_ROOT.',
  },
  'lint.file_not_read': {
    severity: 'warning',
    means: 'A file among the definitions has an ending that nothing reads.',
    why: 'Whoever wrote it believes that it defines something.',
    fix: 'Name it with the ending .yaml, or move it out of the registry.',
  },
  'lint.group_in_group': {
    severity: 'warning',
    means: 'A group of people lists the name of another group.',
    why: 'Groups hold names of persons; the people of the other group may not decide.',
    fix: 'List the people themselves.',
  },
  'lint.hidden_character': {
    severity: 'error',
    means: 'A definition holds a character that nobody sees.',
    why: 'Two texts that look the same are different, or a text reads in another order than it is kept.',
    fix: 'Delete the character; write it as an escape in double quotes where it belongs there.',
  },
  'lint.host_pattern': {
    severity: 'warning',
    means: 'An entry of `allowed_hosts` allows every host, or none.',
    why: 'The policy says something else than it seems to.',
    fix: 'Write host names, with `*` for a part of one and a port where it is not the usual one: `*.acme.test:8443`.',
  },
  'lint.ids_alike': {
    severity: 'warning',
    means: 'Two abilities have ids that differ only in dots, dashes and underscores.',
    why: 'People and AI take one for the other.',
    fix: 'Rename one of them.',
  },
  'lint.import_not_pinned': {
    severity: 'warning',
    means: 'A script imports a file that cannot be pinned with it.',
    why: 'What a script imports is part of it; what is not pinned is not found by the copy that runs, or may be edited after an approval.',
    fix: 'Name the files that it may import under `files`, or import them by fixed paths.',
  },
  'lint.limit_too_small': {
    severity: 'error',
    means: 'A workflow makes more calls than its own limit lets it.',
    why: 'Every task fails with `limit.max_calls`, after part of its work.',
    fix: 'Raise `limits.max_calls`.',
  },
  'lint.lookalike_letter': {
    severity: 'warning',
    means: 'A word mixes letters of two alphabets that look the same.',
    why: 'It looks like a name that it is not.',
    fix: 'Type the word again.',
  },
  'lint.loop_empty': {
    severity: 'warning',
    means: 'A loop goes over an empty list.',
    why: 'Its steps never run.',
    fix: 'Name the list that was meant, or leave the loop out.',
  },
  'lint.match_never_fits': {
    severity: 'warning',
    means: 'The `match` of a hook fits nothing.',
    why: 'Whoever reads the hook believes that it stands guard, and it does not fire.',
    fix: 'Correct the pattern: `*` stands for any letters, and nothing else has a meaning of its own.',
  },
  'lint.never_reached': {
    severity: 'warning',
    means: 'A handler or a case stands behind one that takes all of its work.',
    why: 'The first that fits is taken, so its steps never run.',
    fix: 'Put it before the other one, or leave it out.',
  },
  'lint.schema_impossible': {
    severity: 'error',
    means: 'A part of a schema fits no value at all.',
    why: 'Whatever is given is refused.',
    fix: 'Correct the keywords that exclude each other.',
  },
  'lint.schema_keyword_idle': {
    severity: 'warning',
    means: 'A keyword of a schema says nothing about values of its type.',
    why: 'The rule that was meant does not hold.',
    fix: 'Correct the `type`, or the keyword.',
  },
  'lint.scope_empty': {
    severity: 'warning',
    means: 'The scope of an ability names no environment.',
    why: 'It is available nowhere; left out, the list would allow all.',
    fix: 'Name the environments, or leave `environments` out.',
  },
  'lint.secret_short': {
    severity: 'warning',
    means: 'A secret that is set here is too short to be masked in all the forms in which it may show.',
    why: 'Below 4 characters it is not masked at all, and below 8 not across line breaks: ordinary words would be masked as well.',
    fix: 'Use a secret of at least 8 characters; write what is none under `set` of the profile.',
  },
  'lint.tag_idle': {
    severity: 'warning',
    means: 'A tag of an implementation has no effect here.',
    why: 'The tags `fast`, `deprecated`, `experimental` and `high-cost` change what happens, and this one does not.',
    fix: 'Correct the tag, or take it out.',
  },
  'lint.text_not_evaluated': {
    severity: 'warning',
    means: 'A text looks like an expression or a variable, and nothing evaluates it.',
    why: 'The text itself is passed on, with its signs.',
    fix: 'Write the expression in ${{ }}; secrets reach a script by `secrets` of its `env_profile`.',
  },
  'lint.timeout_over_outer': {
    severity: 'warning',
    means: 'A time-out is longer than the one around it.',
    why: 'The outer one strikes first, so this one never does.',
    fix: 'Shorten it, or raise the outer one.',
  },
  'lint.timeout_zero': {
    severity: 'error',
    means: 'A time-out is zero.',
    why: 'What it belongs to is over before it begins; zero does not mean without limit.',
    fix: 'Write the time that it may take, or leave the time-out out.',
  },
  'lint.undo_idle': {
    severity: 'warning',
    means: 'An `undo` takes nothing back.',
    why: 'After a failure it does the same again, or nothing, and the work seems to be taken back.',
    fix: 'Call what takes the step back, or leave `undo` out.',
  },
  'lint.until_constant': {
    severity: 'warning',
    means: 'What a loop or a wait goes on until can never change meanwhile.',
    why: 'It reads only the input and the environment, so it goes on to its limit, or does not wait at all.',
    fix: 'Read the output of a step, such as `steps.probe.output.ready`.',
  },
  'lint.variable_twice': {
    severity: 'warning',
    means: 'A profile gives a variable twice.',
    why: 'Only one of the two values arrives.',
    fix: 'Keep one of them.',
  },
} as const satisfies Record<string, LintMeaning>;
