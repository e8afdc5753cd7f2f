import type { Severity } from './findings.js';

/** Meaning of a kind of finding. `docs/lint.md` and `ability explain` are made from this table. */
export interface LintMeaning {
  severity: Severity;
  /** The problem, in one sentence. */
  means: string;
  /** Why it matters, in one sentence. */
  why: string;
  /** How to fix it. */
  fix: string;
}

/** Findings of `ability lint` besides the errors of broken definitions. */
export const LINT_CODES = {
  'lint.ability_deprecated': {
    severity: 'warning',
    means: 'A workflow calls an ability that is deprecated.',
    why: 'It will go away, and what still calls it then stops working.',
    fix: 'Call what replaces it.',
  },
  'lint.ability_experimental': {
    severity: 'warning',
    means: 'A workflow calls an ability that is experimental, and is not experimental itself.',
    why: 'Its author does not promise yet that it works or stays as it is.',
    fix: 'Call another one, or write `status: experimental` in the workflow, too.',
  },
  'lint.approve_gap': {
    severity: 'warning',
    means: 'An environment asks for approval of an effect, and not of a graver one.',
    why: 'The graver calls run there without an approval.',
    fix: 'List the graver effects under `approve`, too.',
  },
  'lint.approver_unknown': {
    severity: 'warning',
    means: 'An approver is no group of the project, and nearly the name of one.',
    why: 'An entry that is no group is taken for the name of a person, and there may be no such person.',
    fix: 'Correct the name, or add the person to a group under `people`.',
  },
  'lint.break_effect': {
    severity: 'error',
    means: 'The effect of an ability became graver under the same version.',
    why: 'Its callers agreed to less; retries and approvals change with it.',
    fix: 'Give the ability a new `version`, or take the change back.',
  },
  'lint.break_guard': {
    severity: 'error',
    means: 'A guard no longer protects an ability, or stops less before it, under the same version.',
    why: 'What was guarded yesterday runs unguarded today, and its users were not informed.',
    fix: 'Bind the guard again, take back what narrowed it, or give it `match: {}` where a binding elsewhere narrowed it; else give the ability a new `version`.',
  },
  'lint.break_input_narrowed': {
    severity: 'error',
    means: 'An ability no longer takes an input that it took, under the same version.',
    why: 'Calls that worked are refused.',
    fix: 'Give the ability a new `version`, or go on taking the old input.',
  },
  'lint.break_input_required': {
    severity: 'error',
    means: 'An ability requires an input that it did not require, under the same version.',
    why: 'Calls that worked are refused.',
    fix: 'Give it a `default`, leave it optional, or give the ability a new `version`.',
  },
  'lint.break_output_removed': {
    severity: 'error',
    means: 'An ability no longer promises an output that it promised, under the same version.',
    why: 'Expressions and programs that read it fail or read nothing.',
    fix: 'Go on giving it, or give the ability a new `version`.',
  },
  'lint.break_output_widened': {
    severity: 'error',
    means: 'An ability may give an output that it could not give, under the same version.',
    why: 'Its readers do not expect the new type or value.',
    fix: 'Give the ability a new `version`, or keep to the old form.',
  },
  'lint.break_removed': {
    severity: 'error',
    means: 'An ability is gone.',
    why: 'Its callers find nothing.',
    fix: 'Keep it with the tag `deprecated` until it has no callers; look for callers with `ability lint`.',
  },
  'lint.break_scope': {
    severity: 'error',
    means: 'An ability is no longer available in an environment, under the same version.',
    why: 'Calls that worked there are refused.',
    fix: 'Give the ability a new `version`, or keep the environment in its scope.',
  },
  'lint.call_cut': {
    severity: 'warning',
    means: 'A race, a failure beside it or a time-out may end a call at work that must not be cut.',
    why: 'Whether its effect took place is not known then, and the task ends as `unknown`, whatever else went well.',
    fix: 'Move the call out, write `on_failure: finish` or a longer `timeout`, or `cut: allowed` at the call.',
  },
  'lint.capability_unprovided': {
    severity: 'warning',
    means: 'No pack has a capability.',
    why: 'A request that needs it is counted as needing it, and it recruits no one.',
    fix: 'List it under `capabilities` of the packs that have it, in registry/packs.yaml, or delete it.',
  },
  'lint.claimed_caller': {
    severity: 'warning',
    means: 'A guard fires for the caller `agent`, and not for `person` and `ci`.',
    why: 'On the command line that is a claim: an agent that unsets a variable is taken for a person, and passes.',
    fix: 'Add `person` and `ci`, or let the guard fire for all; docs/hooks.md says what each kind of caller is.',
  },
  'lint.concurrency_disagrees': {
    severity: 'warning',
    means: 'Two abilities share a concurrency key and do not agree on `limit` or `on_busy`.',
    why: 'Each task goes by its own, so that more of them may be in at once than the stricter ability allows.',
    fix: 'Give both the same `limit` and `on_busy`, or put the id of the ability into the key.',
  },
  'lint.constant_condition': {
    severity: 'warning',
    means: 'A condition is always true or always false.',
    why: 'What depends on it always or never runs, which reads as if something decided it.',
    fix: 'Write the condition that was meant, or leave the condition or the step out.',
  },
  'lint.cut_idle': {
    severity: 'warning',
    means: '`cut: allowed` is written at a call that loses nothing when it is cut.',
    why: 'What only reads, or may be repeated, is merely cancelled; a reader takes the call for a graver one.',
    fix: 'Take it out, or write the effect that the ability has under its `effects`.',
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
    why: 'Its author believes that it defines something.',
    fix: 'Name it with the ending .yaml, or move it out of the registry.',
  },
  'lint.group_in_group': {
    severity: 'warning',
    means: 'A group of people lists the name of another group.',
    why: 'Groups hold names of persons; the people of the other group may not decide.',
    fix: 'List the people themselves.',
  },
  'lint.guard_without_example': {
    severity: 'note',
    means: 'A blocking guard has no `examples`.',
    why: 'A guard that no longer refuses what it was made for looks like one that does.',
    fix: 'Write one case that it must deny: `examples: [{ context: { payload: .. }, expect: deny }]`.',
  },
  'lint.hidden_character': {
    severity: 'error',
    means: 'A definition holds an invisible character.',
    why: 'Two texts that look the same are different, or a text reads in another order than it is kept.',
    fix: 'Delete the character; write it as an escape in double quotes where it belongs there.',
  },
  'lint.hook_disabled': {
    severity: 'warning',
    means: 'An ability binds a hook that is not enabled.',
    why: 'A reader of the binding believes that the hook guards, and it does not fire.',
    fix: 'Set `enabled: true` at the hook, or take it out of the binding.',
  },
  'lint.hook_example': {
    severity: 'error',
    means: 'A hook decides one of its examples otherwise than the example says.',
    why: 'An example is the promise of a guard for one case; a guard that breaks it lets pass what it should stop, or stops too much.',
    fix: 'Correct the condition or the example; an example sets `now`, `environment`, `input` and whatever else the condition reads.',
  },
  'lint.hook_narrowed': {
    severity: 'warning',
    means: 'A blocking hook without `match` is bound by name, so that it no longer fires everywhere.',
    why: 'Unbound it guards every ability; the first binding takes it away from all others, and nothing says so there.',
    fix: 'Write `match: {}` at the hook to keep it everywhere, or say where it fires; one that is only bound needs no `blocking`.',
  },
  'lint.hook_uncovered': {
    severity: 'warning',
    means: 'A guard that was written for another tool fits an ability that `as` does not show it.',
    why: 'Its `match` or a binding reads as if the ability were guarded, and the guard is never asked about it.',
    fix: 'Add an entry to `as` for the ability, or name in `match` only what the guard covers.',
  },
  'lint.hooks_dropped': {
    severity: 'warning',
    means: 'A lower level drops hooks of a higher one with `replace: true`.',
    why: 'A guard that the contract of the ability promises is missing in this environment.',
    fix: 'Bind the hooks again that must stay, or leave `replace` out, so that the lists are united.',
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
  'lint.implementation_deprecated': {
    severity: 'warning',
    means: 'An ability uses an implementation that is tagged `deprecated`.',
    why: 'It will go away, and what still uses it then stops working.',
    fix: 'Name another `default_implementation` in registry/config.',
  },
  'lint.implementation_experimental': {
    severity: 'warning',
    means: 'An ability uses an implementation that is tagged `experimental`.',
    why: 'Its author does not promise yet that it works or stays as it is.',
    fix: 'Name another `default_implementation` in registry/config, or remove the tag once it is proven.',
  },
  'lint.implementation_unused': {
    severity: 'warning',
    means: 'No environment uses an implementation.',
    why: 'An editor believes that something changes.',
    fix: 'List it under `allowed_implementations`, or delete it.',
  },
  'lint.import_not_pinned': {
    severity: 'warning',
    means: 'A script imports a file that cannot be pinned with it.',
    why: 'What a script imports is part of it; what is not pinned is not found by the copy that runs, or may be edited after an approval.',
    fix: 'Name the files that it may import under `files`, or import them by fixed paths.',
  },
  'lint.inline_secret': {
    severity: 'error',
    means: 'A definition seems to hold a secret itself.',
    why: 'Definitions are shared, logged, pinned in plans and shown for approval; a secret in them is known to all of those.',
    fix: 'Keep it in `.env` or the environment of the worker, and write a reference: `env:NAME` or `file:PATH`.',
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
    why: 'A reader of the hook believes that it guards, and it does not fire.',
    fix: 'Correct the pattern: `*` matches any letters, and nothing else has a meaning of its own.',
  },
  'lint.missing_parameter': {
    severity: 'error',
    means: 'A call leaves out a parameter that the ability needs.',
    why: 'The call fails with `input.invalid` before anything happens.',
    fix: 'Give the parameter under `with`.',
  },
  'lint.module_deprecated': {
    severity: 'warning',
    means: 'An ability belongs to a module that is deprecated, and is not deprecated itself.',
    why: 'The module will go away; its users are warned with each run.',
    fix: 'Move the ability to the module that replaces it, or write `status: deprecated` in it.',
  },
  'lint.module_reference': {
    severity: 'warning',
    means: 'The overview of a module names a folder, a module or an ability that is not there.',
    why: 'A reader of the overview looks for something that does not exist.',
    fix: 'Correct the name, or leave it out.',
  },
  'lint.module_unknown': {
    severity: 'warning',
    means: 'A scope names a module that no overview describes, in a project that has overviews.',
    why: 'A mistyped name of a module reads like this; hooks and pages that go by modules then miss the ability.',
    fix: 'Correct the name, or describe the module in modules/overview.',
  },
  'lint.never_equal': {
    severity: 'warning',
    means: 'Two things are compared that can never be equal.',
    why: 'The comparison always has the same outcome, so what depends on it always or never runs.',
    fix: 'Correct the value or the field; texts are quoted, numbers are not.',
  },
  'lint.never_reached': {
    severity: 'warning',
    means: 'A handler or a case comes after one that takes all of its work.',
    why: 'The first that fits is taken, so its steps never run.',
    fix: 'Put it before the other one, or leave it out.',
  },
  'lint.no_steps': {
    severity: 'warning',
    means: 'A high-level ability has no steps.',
    why: 'It is listed and found, and each run of it ends with `ability.no_steps`.',
    fix: 'Write its steps.',
  },
  'lint.not_a_list': {
    severity: 'error',
    means: 'A `foreach` goes over something that is no list.',
    why: 'The loop fails with `expression.not_list` before its first turn.',
    fix: 'Name a list; for a map write a comprehension over its keys: `map.map(key, map[key])`.',
  },
  'lint.not_boolean': {
    severity: 'error',
    means: 'A condition gives neither true nor false.',
    why: 'A condition has no truthiness: the step fails with `expression.not_boolean`.',
    fix: 'Write a comparison, such as `size(list) > 0` or `text != ""`.',
  },
  'lint.not_duration': {
    severity: 'error',
    means: 'An expression where a duration belongs gives something else.',
    why: 'The step fails with `expression.not_duration`.',
    fix: 'Give a text with a unit, such as `"${{ input.seconds }}s"`.',
  },
  'lint.not_number': {
    severity: 'error',
    means: 'An expression where a whole number belongs gives something else.',
    why: 'The step fails with `expression.not_number`.',
    fix: 'Give a whole number from 1; `int(text)` makes one of a text.',
  },
  'lint.not_text': {
    severity: 'error',
    means: 'A `${{ }}` inside text gives a list, a map or null.',
    why: 'Only strings, numbers and booleans can stand inside text: the step fails with `expression.not_text`.',
    fix: 'Choose one of its fields, write `join(", ")` for a list of texts, or let the `${{ }}` stand alone.',
  },
  'lint.operation_unused': {
    severity: 'warning',
    means: 'A workflow allows an operation that it never calls.',
    why: 'The list shows reviewers what a workflow can do; what has no use hides what has one.',
    fix: 'Take it out of `operations`.',
  },
  'lint.optional_field': {
    severity: 'warning',
    means: 'An expression reads a field that may be missing, without asking for it.',
    why: 'Where the field is left out, the expression fails, and the step with it.',
    fix: 'Write `input.?name.orValue(..)`, ask first with `has(input.name)`, list it under `required`, or give it a `default`.',
  },
  'lint.output_mismatch': {
    severity: 'error',
    means: 'A workflow gives an output that its own `output_schema` refuses.',
    why: 'After all its work the task fails with `output.invalid`.',
    fix: 'Correct `output`, or the schema that promises something else.',
  },
  'lint.own_turn_at_once': {
    severity: 'error',
    means: 'A step in a `foreach` whose items run at once, or may, reads itself.',
    why: 'A step sees its own last turn only where items run one after another; otherwise its output is always null there.',
    fix: 'Leave `max_parallel` out, or combine the outputs after the loop: `steps.<loop>.output`.',
  },
  'lint.pack_capability_unknown': {
    severity: 'warning',
    means: 'A pack has a capability that is not defined.',
    why: 'No request is found to need it, so that the pack is not recruited for it.',
    fix: 'Correct the id, or define it in registry/capabilities.yaml with its keywords.',
  },
  'lint.pack_workflow_missing': {
    severity: 'warning',
    means: 'The `workflow` of a pack is no ability of the project.',
    why: 'The pack is recruited, and there is nothing to run.',
    fix: 'Name an ability of `ability list`, or write that workflow.',
  },
  'lint.page_not_kept': {
    severity: 'warning',
    means: 'Nothing keeps a page called ABILITY.md in step with the definitions.',
    why: 'People and AI choose abilities from pages of this name, and this one may say anything.',
    fix: 'Run `ability docs`, which takes over tables as they are, or `ability docs --add FILE`; a page with `<!-- ability:own -->` is left to its author.',
  },
  'lint.page_scope': {
    severity: 'note',
    means: 'A page gives another scope for an ability than its definition.',
    why: 'The words of the author are kept; guards and the choice of rows go by `scope.modules` of the definition.',
    fix: 'Leave it where it is meant; else correct the cell, or empty it and run `ability docs`.',
  },
  'lint.placement_contradiction': {
    severity: 'warning',
    means: 'An ability is placed in the cloud although a step of it needs a local server.',
    why: 'The explicit placement wins, and the step then runs where its server may not be reachable.',
    fix: 'Leave `placement` out, or list the server under `placement.cloud` in ability.yaml.',
  },
  'lint.proof_required': {
    severity: 'note',
    means: "An environment asks for proof of who decides, which only the project's own runtime can check.",
    why: 'On any other server each approval in the environment is refused with `feature.unsupported`; on the own runtime only its owner can decide.',
    fix: 'Leave it where the project is run on its own runtime; else leave `proof: required` out.',
  },
  'lint.retry_family': {
    severity: 'warning',
    means: 'A `retry` names a family of errors that looks as if it covered answers which cannot be used.',
    why: 'Such a call was made and answered, so it is made again only where `errors` names the very code.',
    fix: 'Name the codes that are meant, such as `script.exit`.',
  },
  'lint.retry_too_late': {
    severity: 'warning',
    means: 'A step waits longer before its second attempt than all its attempts together may take.',
    why: 'The time of the step ends with the first attempt, so that `retry` does nothing.',
    fix: 'Write a shorter `retry.first`, or a `timeout` at the step that has room for the waits and the attempts.',
  },
  'lint.schema_default': {
    severity: 'error',
    means: 'A `default` is not as its own schema says.',
    why: 'It is filled in and checked like any other value, so a call without the field is refused.',
    fix: 'Write a `default` that fits, or leave it out.',
  },
  'lint.schema_impossible': {
    severity: 'error',
    means: 'A part of a schema fits no value at all.',
    why: 'Whatever is given is refused.',
    fix: 'Correct the keywords that exclude each other.',
  },
  'lint.schema_keyword': {
    severity: 'error',
    means: 'A schema has a keyword that JSON Schema does not know.',
    why: 'Unknown keywords are ignored, so that the rule that was meant does not hold.',
    fix: 'Correct the keyword; notes of your own begin with `x-`.',
  },
  'lint.schema_keyword_idle': {
    severity: 'warning',
    means: 'A keyword of a schema says nothing about values of its type.',
    why: 'The rule that was meant does not hold.',
    fix: 'Correct the `type`, or the keyword.',
  },
  'lint.schema_required_unknown': {
    severity: 'warning',
    means: 'A schema requires a property that it does not describe.',
    why: 'Nothing can be said of its type, and it is usually one that is described, mistyped.',
    fix: 'Describe it under `properties`, or correct the name.',
  },
  'lint.scope_contradiction': {
    severity: 'error',
    means: 'A definition may be used in an environment in which something that it needs may not.',
    why: 'It will be unavailable there, or a setting is never read.',
    fix: 'Narrow the `scope.environments` of the one, or widen those of the other.',
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
  'lint.step_at_once': {
    severity: 'warning',
    means: 'An expression reads a step of another branch, which runs at the same time.',
    why: 'Whether that step is done by then is chance.',
    fix: 'Read it after the `parallel` or `race`, put both steps into one branch, or wait for it: `wait: { until: "steps.<id>.status == \'succeeded\'" }`.',
  },
  'lint.step_may_not_run': {
    severity: 'warning',
    means: 'An expression reads the output of a step that may have been skipped or have failed.',
    why: 'The output is null then, and reading a field of it fails.',
    fix: 'Ask first, such as `steps.<id>.status == "succeeded"`, or write `steps.<id>.output.?name.orValue(..)`.',
  },
  'lint.step_not_run': {
    severity: 'error',
    means: 'An expression reads the output of a step that has not run by then.',
    why: 'The output is null until the step has run, so reading a field of it fails.',
    fix: 'Move the step that is read before the one that reads it, or read another one.',
  },
  'lint.step_pending': {
    severity: 'warning',
    means: 'An expression looks at a step that cannot have run by then.',
    why: 'Its status is always `pending` or `skipped` and its output null there, so looking at it is of no use.',
    fix: 'Move the step that is read before the one that reads it, or read another one.',
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
  'lint.timeout_over_policy': {
    severity: 'error',
    means: 'A time-out is longer than the policy of the project allows.',
    why: 'It is cut to `policy.max_timeout`, and the call ends earlier than its definition says.',
    fix: 'Shorten it, or raise `policy.max_timeout` in ability.yaml.',
  },
  'lint.timeout_zero': {
    severity: 'error',
    means: 'A time-out is zero.',
    why: 'What it belongs to is over before it begins; zero does not mean without limit.',
    fix: 'Write the time that it may take, or leave the time-out out.',
  },
  'lint.type_mismatch': {
    severity: 'error',
    means: 'An operator, a function or an access is used on a type that it cannot work on.',
    why: 'The expression fails whenever this part of it is evaluated.',
    fix: 'Convert the value, such as with `string(n)`, `int(text)` or `timestamp(text)`, or choose another field.',
  },
  'lint.undeclared_field': {
    severity: 'warning',
    means: 'An expression reads, or asks for, a field that the schema does not list.',
    why: 'A mistyped name reads like this: it fails when it is evaluated, and what asks for the field with `has()` or `?` never finds it.',
    fix: 'Correct the name, list the field under `properties`, or say `additionalProperties: true`.',
  },
  'lint.undeclared_parameter': {
    severity: 'warning',
    means: 'A call gives a parameter whose name is nearly one that the ability takes.',
    why: 'The ability takes whatever it is given, and does not find the value under the name it looks for.',
    fix: 'Correct the name, or list the parameter in the `input_schema` of the ability.',
  },
  'lint.undo_idle': {
    severity: 'warning',
    means: 'An `undo` takes nothing back.',
    why: 'After a failure it does the same again, or nothing, and the work seems to be taken back.',
    fix: 'Call what takes the step back, or leave `undo` out.',
  },
  'lint.unknown_error_code': {
    severity: 'warning',
    means: 'A list of `errors` names a code that nothing fails with.',
    why: 'The retry or the handler that it belongs to never does anything.',
    fix: 'Correct the code; docs/errors.md has them all.',
  },
  'lint.unknown_field': {
    severity: 'error',
    means: 'An expression reads a field that is never there.',
    why: 'The schema allows no such field, so the expression fails whenever it is evaluated.',
    fix: 'Correct the name, or add the field to the schema of the input or output it is read from.',
  },
  'lint.unknown_parameter': {
    severity: 'error',
    means: 'A call gives a parameter that the ability does not take.',
    why: 'The schema of the ability allows no such parameter: the call fails with `input.invalid`.',
    fix: 'Correct the name, or leave the parameter out.',
  },
  'lint.unreachable_step': {
    severity: 'warning',
    means: 'A step comes after one that always ends the task.',
    why: 'It never runs.',
    fix: 'Give the `fail` or `end` before it an `if`, or take the step out.',
  },
  'lint.until_constant': {
    severity: 'warning',
    means: 'What a loop or a wait goes on until can never change meanwhile.',
    why: 'It reads only the input and the environment, so it goes on to its limit, or does not wait at all.',
    fix: 'Read the output of a step, such as `steps.probe.output.ready`.',
  },
  'lint.unused_template': {
    severity: 'warning',
    means: 'No step of a file uses one of its templates.',
    why: 'It is not visible that it never runs, and its calls are in no plan.',
    fix: 'Use it with `template: NAME`, or delete it.',
  },
  'lint.variable_twice': {
    severity: 'warning',
    means: 'A profile gives a variable twice.',
    why: 'Only one of the two values arrives.',
    fix: 'Keep one of them.',
  },
  'lint.wrong_parameter': {
    severity: 'error',
    means: 'A call gives a parameter a value that the ability refuses.',
    why: 'The value does not satisfy the `input_schema` of the ability: the call fails with `input.invalid`.',
    fix: 'Give a value as the schema says; a number for a text is `${{ string(n) }}`, or `"1.2"` as it is written; a file is `${{ steps.ID.files.NAME }}`.',
  },
  'lint.yaml_boolean_word': {
    severity: 'warning',
    means: 'A word such as `yes` or `off` is where it looks like a boolean.',
    why: 'Here it is a text; other readers of YAML take it for true or false.',
    fix: 'Write true or false, or put it in quotes.',
  },
  'lint.yaml_comment_cuts': {
    severity: 'error',
    means: 'A `#` cuts a value.',
    why: 'After a blank, `#` begins a comment, and the value ends before it.',
    fix: 'Put the whole value in quotes.',
  },
  'lint.yaml_flow_map': {
    severity: 'error',
    means: 'A key in `{ }` has no value.',
    why: 'In `{ a:1 }` and `{ a, b }` the whole of `a:1`, or each of `a` and `b`, is a key whose value is null.',
    fix: 'Write a blank after the colon, `{ a: 1 }`; a list is written in `[ ]`.',
  },
  'lint.yaml_number': {
    severity: 'warning',
    means: 'A number does not read back as it was written.',
    why: '`1.10` is the number 1.1, and `1e3` is 1000; as a version or an id it is another one.',
    fix: 'Put it in quotes, or write the number in its plain form.',
  },
  'lint.yaml_template_in_comment': {
    severity: 'error',
    means: 'A `${{ }}` is in a comment.',
    why: 'After a blank, `#` begins a comment, and the value ends before it.',
    fix: 'Put the whole value in quotes.',
  },
} as const satisfies Record<string, LintMeaning>;

/** Errors that prevent planning an ability, and that lint reports before it runs. */
export const LINT_ERRORS = [
  'config.invalid',
  'config.missing_credential',
  'config.missing_endpoint',
  'config.no_implementation',
  'definition.duplicate',
  'definition.invalid',
  'definition.syntax',
  'definition.too_large',
  'definition.unknown_reference',
  'definition.unread',
  'denied.host',
  'docs.invalid',
  'docs.out_of_step',
  'expression.syntax',
  'expression.unknown_step',
  'feature.unsupported',
  'project.two_registries',
  'script.missing',
  'script.not_executable',
] as const;

/** A code of {@link LINT_CODES}. */
export type LintCode = keyof typeof LINT_CODES;

/** Meaning of a lint code; undefined for any other code. */
export function lintMeaningOf(code: string): LintMeaning | undefined {
  return Object.hasOwn(LINT_CODES, code) ? LINT_CODES[code as LintCode] : undefined;
}
