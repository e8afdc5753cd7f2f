import { EXIT, type ExitCode } from './states.js';

/** Meaning of an error code. `docs/errors.md` and `ability explain` are made from this table. */
export interface CodeMeaning {
  /** Exit code of a command that ends with this error. */
  exit: ExitCode;
  /** What happened, in one sentence. */
  means: string;
  next: string;
}

/** Every code that can reach a caller. Source: docs/operations.md#the-runtime-of-a-project; docs/errors.md. */
export const CODES = {
  'ability.no_steps': {
    exit: EXIT.usage,
    means: 'The ability is described, but has no steps yet.',
    next: 'Write its `steps`, or choose another with `ability list`.',
  },
  'ability.not_found': {
    exit: EXIT.usage,
    means: 'No ability of that id is registered in this project.',
    next: 'Run `ability list`; the message names the nearest ids.',
  },
  'ability.unavailable_here': {
    exit: EXIT.unavailable,
    means: 'The ability that fits the request cannot run in this environment, or lacks something.',
    next: 'Set what the message names. Only the user chooses another environment, with `--env`.',
  },
  'agent.answer_invalid': {
    exit: EXIT.failed,
    means: "An agent's answer is empty or does not fit its `output_schema`, even after one repair.",
    next: 'State in `instructions` what it has to be, or use another model; `ability why` shows it.',
  },
  'agent.not_a_tool': {
    exit: EXIT.failed,
    means: 'The model of an agent requested a call of something that is not its tool; nothing is called.',
    next: 'If the agent fails because of it, list the ability among its `operations`.',
  },
  'agent.wider_grant': {
    exit: EXIT.denied,
    means: 'An agent tried to delegate more abilities to another than both may call; nothing is called.',
    next: 'Add them to the `operations` of both.',
  },
  'api.output_invalid': {
    exit: EXIT.failed,
    means:
      'A service answered with success, but not as the contract says. The call counts as made: repeated only if `retry.errors` names this code, its `undo` is due.',
    next: 'Compare the answer in the details with `output_schema`, or choose another `response`.',
  },
  'approval.by_agent': {
    exit: EXIT.denied,
    means: 'An agent tried to decide an approval; only people do.',
    next: 'Let a person decide, in their own terminal or the Temporal UI.',
  },
  'approval.changes_requested': {
    exit: EXIT.denied,
    means: 'An approver asks for changes first; their comment is in the details.',
    next: 'Make the changes and run the ability again, or name the code in an `on_error`.',
  },
  'approval.denied': {
    exit: EXIT.denied,
    means: 'An approver denied the request.',
    next: 'Read the comment in the result, and ask the approver.',
  },
  'approval.expired': {
    exit: EXIT.denied,
    means: 'The approval was not decided in time; that denies it.',
    next: 'Run the ability again when an approver has time, or give the approval a longer `timeout`.',
  },
  'approval.ignored': {
    exit: EXIT.denied,
    means: 'The decision was received and did not count; the message says why.',
    next: 'Let one of the listed approvers decide.',
  },
  'approval.not_awaited': {
    exit: EXIT.waiting,
    means: 'A direct run needed an approval, and does not wait for people: it was cancelled.',
    next: 'Pass `--wait-approval`, or leave out `--direct`.',
  },
  'approval.not_found': {
    exit: EXIT.usage,
    means: 'No open approval of this project has that id.',
    next: 'Run `ability approvals` to see what is open.',
  },
  'approval.unproved': {
    exit: EXIT.denied,
    means: 'The environment asks for proof of who decides, and this command has none.',
    next: "Decide as the user who owns the project's own runtime, without `--as`.",
  },
  'approval.withdrawn': {
    exit: EXIT.denied,
    means: 'People approved a firing ahead, and its schedule was paused, changed or deleted before it was due.',
    next: 'Nothing has run; `ability schedule run NAME` fires the schedule as it is now.',
  },
  'audit.broken': {
    exit: EXIT.outOfOrder,
    means: 'The last object of the audit log is damaged, so that nothing can continue it; tasks wait.',
    next: 'Keep a copy of the object as evidence, and move it away: `ability audit verify` names it.',
  },
  'child.cancelled': {
    exit: EXIT.failed,
    means: 'A workflow that the task called was cancelled, and the task itself was not.',
    next: 'Run it again, or handle this code with `on_error`.',
  },
  'child.failed': {
    exit: EXIT.failed,
    means: 'A workflow that the task called ended without saying why.',
    next: 'Look at it in the Temporal UI under the key the message names.',
  },
  'concurrency.busy': {
    exit: EXIT.failed,
    means: 'Another task holds the concurrency key, and `on_busy` is `refuse`; nothing was started.',
    next: 'Wait for that task, or set `on_busy` to `wait` or `cancel_older`.',
  },
  'concurrency.replaced': {
    exit: EXIT.failed,
    means: 'The task waited for its turn with `on_busy: newest`, and a newer one took its place; nothing was started.',
    next: 'Watch the newer task; if each must run, set `on_busy: wait`.',
  },
  'config.invalid': {
    exit: EXIT.usage,
    means: 'The configuration contradicts itself or names something that does not exist.',
    next: 'Correct the file at the place the message names.',
  },
  'config.missing_credential': {
    exit: EXIT.unavailable,
    means: 'A credential that the ability needs here is not set where the worker runs.',
    next: 'Set it in `.env`, `.env.<environment>` or the environment of the worker (then run `ability down`).',
  },
  'config.missing_endpoint': {
    exit: EXIT.unavailable,
    means: 'The ability has no address to call in this environment.',
    next: 'Set its endpoint in `registry/config`, under the environment the message names.',
  },
  'config.missing_price': {
    exit: EXIT.usage,
    means: 'An agent has a `limits.max_cost`, and a model that it or its agents use has no price.',
    next: 'Set `price: { input, output }`, per million tokens, under `models` in `ability.yaml`.',
  },
  'config.missing_program': {
    exit: EXIT.unavailable,
    means: 'The program of a script or an MCP server is not on the machine that plans.',
    next: 'Install it there and on the workers, or name another in the first line, `interpreter` or `command`.',
  },
  'config.no_environment': {
    exit: EXIT.usage,
    means: 'The project has several environments, and none is chosen.',
    next: 'Pass `--env`, or set `ABILITY_ENV`, or `default_environment` in `ability.yaml`.',
  },
  'config.no_implementation': {
    exit: EXIT.unavailable,
    means: 'The operation has no implementation that may be used in this environment.',
    next: 'Add an `implementation`, or name one under `default_implementation` in `registry/config`.',
  },
  'config.no_model': {
    exit: EXIT.unavailable,
    means: 'An agent uses a model that `ability.yaml` does not define.',
    next: 'Define it: `models: { default: { model: NAME } }`, with the name that the endpoint uses.',
  },
  'config.registry_differs': {
    exit: EXIT.usage,
    means: 'The worker would run other definitions or scripts than these, and `--strict` was given.',
    next: 'Deploy these to the workers, or leave out `--strict`.',
  },
  'definition.duplicate': {
    exit: EXIT.usage,
    means: 'Two files define the same id, so neither is used.',
    next: 'Rename one of them or delete it; the message names both places.',
  },
  'definition.invalid': {
    exit: EXIT.usage,
    means: 'A definition does not have the form its format asks for.',
    next: 'Correct the file at the place the message names; the message shows the right form.',
  },
  'definition.syntax': {
    exit: EXIT.usage,
    means: 'A file is not valid YAML.',
    next: 'Correct the file at the place the message names.',
  },
  'definition.too_large': {
    exit: EXIT.usage,
    means: 'A definition is too large or deep, or has too many aliases.',
    next: 'Split it, or write the aliases out.',
  },
  'definition.unknown_reference': {
    exit: EXIT.usage,
    means: 'A definition names an ability, environment, implementation, hook, server or profile that is not there.',
    next: 'Correct the name or add it; the message names the nearest ids.',
  },
  'definition.unread': {
    exit: EXIT.usage,
    means: 'A definition is where nothing reads it, or is a hook that can never run.',
    next: 'Follow the suggestion, or delete it: it has no effect.',
  },
  'denied.host': {
    exit: EXIT.failed,
    means: 'A call would have gone to a host or address that the policy does not allow.',
    next: 'Add it to `policy.allowed_hosts` in `ability.yaml`, if that is right.',
  },
  'docs.invalid': {
    exit: EXIT.usage,
    means: "A routing document's markers or a table are broken, or it is no file of the project. Nothing was written.",
    next: 'Correct it at the place the message names.',
  },
  'docs.none': {
    exit: EXIT.usage,
    means: 'There is no routing document where the command looked.',
    next: 'Write one with `ability docs --add FOLDER`; see docs/routing-documents.md.',
  },
  'docs.not_ours': {
    exit: EXIT.usage,
    means: 'A document for AIs was written by hand, without our markers, so it is not written over.',
    next: 'Write the two markers where the rules are to be, or move the file away.',
  },
  'docs.out_of_step': {
    exit: EXIT.failed,
    means: 'A routing document differs from the definitions, or a document for AIs from this version.',
    next: 'Run `ability docs`, look at the change, and commit it.',
  },
  'docs.write_failed': {
    exit: EXIT.outOfOrder,
    means: 'A routing document could not be written, or it was changed meanwhile.',
    next: 'Make room or fix its permissions, and run the command again.',
  },
  'door.access_denied': {
    exit: EXIT.denied,
    means: 'A person denied the login of a command line.',
    next: 'Run `ability login` again, and confirm it.',
  },
  'door.authorization_pending': {
    exit: EXIT.waiting,
    means: 'No person has confirmed the login of a command line yet.',
    next: 'Ask again after the interval of the login.',
  },
  'door.bad_request': {
    exit: EXIT.usage,
    means: 'A request does not have the form that its route accepts; nothing was done.',
    next: 'Compare it with `GET /v1/openapi.json`; the details name each place.',
  },
  'door.busy': {
    exit: EXIT.unavailable,
    means: 'The door has its maximum of running and waiting calls; this one was not started.',
    next: 'Call again when others have been answered.',
  },
  'door.cross_site': {
    exit: EXIT.denied,
    means: 'A web page of another site sent the request; nothing was done.',
    next: 'Call the door from a program, or from its own page.',
  },
  'door.delivery_invalid': {
    exit: EXIT.usage,
    means:
      'A signed webhook arrived, but its trigger could not derive a key, an input or a result of `if` from it; nothing was started.',
    next: 'Fix the trigger, or check for what it reads in `if`; the details name it. Then have it sent again.',
  },
  'door.expired_token': {
    exit: EXIT.timedOut,
    means:
      'The code of a login is unknown, older than 10 minutes, or was used; or the session that confirmed it has ended.',
    next: 'Run `ability login` again.',
  },
  'door.forbidden': {
    exit: EXIT.denied,
    means: 'The caller is known, but lacks the right for this ability and environment, or for anything like it.',
    next: 'Ask who keeps `access` in ability.yaml, or for a token: `ability token create --person NAME --can read,run,approve`.',
  },
  'door.foreign_host': {
    exit: EXIT.denied,
    means: 'The request names a host that is not this door.',
    next: 'Use the address that `ability serve` printed, or name the proxy: `--behind-proxy NAME`.',
  },
  'door.login_not_private': {
    exit: EXIT.usage,
    means:
      'The file in which `ability login` keeps tokens belongs to another user, or others may read it; it was not read.',
    next: 'Remove it, and sign in again with `ability login`.',
  },
  'door.media_type': {
    exit: EXIT.usage,
    means: 'The body of a request is not declared as JSON.',
    next: 'Send the header `content-type: application/json`.',
  },
  'door.no_login': {
    exit: EXIT.usage,
    means: 'No login of a command line waits for a person under this code.',
    next: 'Compare it with what `ability login` printed, or run that again.',
  },
  'door.no_provider': {
    exit: EXIT.outOfOrder,
    means: 'The OpenID provider does not answer, or is not what its address says; the door did not start.',
    next: 'Compare `--oidc-issuer` with `issuer` in its `/.well-known/openid-configuration`.',
  },
  'door.no_route': {
    exit: EXIT.usage,
    means: 'The door has no such path, or the path does not accept this method.',
    next: 'Look at `GET /v1/openapi.json`.',
  },
  'door.no_tls': {
    exit: EXIT.usage,
    means: 'A door was to listen beyond this machine without TLS, or a command was to reach it so; nothing was sent.',
    next: 'Pass `--tls-cert` and `--tls-key`, or name the proxy: `--behind-proxy NAME`; for a command, use an https:// address.',
  },
  'door.no_token': {
    exit: EXIT.usage,
    means: 'The door was to be reached from beyond this machine without a token; it did not start.',
    next: 'Make one: `ability token create --person NAME --can read,run`.',
  },
  'door.no_webhook': {
    exit: EXIT.usage,
    means: 'No definition states a webhook of that name.',
    next: "Compare the sender's address with `webhook` of `triggers`.",
  },
  'door.not_listening': {
    exit: EXIT.outOfOrder,
    means: "A door or a worker's metrics could not listen at their address, or a certificate could not be read.",
    next: 'Choose another `--port`, `--host` or `--metrics`.',
  },
  'door.project_only': {
    exit: EXIT.usage,
    means: 'The command, or a flag of it, needs the project itself, and was called through a door.',
    next: 'Run it in the project, without `--door` and ABILITY_DOOR.',
  },
  'door.slow_down': {
    exit: EXIT.unavailable,
    means: 'A client asked for the token of a login too soon.',
    next: 'Wait 5 seconds longer between two requests.',
  },
  'door.too_large': {
    exit: EXIT.usage,
    means: 'The body of a request is too large; it was not read.',
    next: 'Put what is large into a file or a service that the ability reads.',
  },
  'door.too_many': {
    exit: EXIT.unavailable,
    means: 'The caller sends too many requests, or listens to too many tasks; nothing was done.',
    next: 'Wait as long as `retry-after` says; the same `Idempotency-Key` is the same task.',
  },
  'door.unauthenticated': {
    exit: EXIT.denied,
    means: 'No valid token was sent: it is missing, unknown, expired or revoked.',
    next: 'Send `authorization: Bearer TOKEN`; `ability token list` shows them.',
  },
  'door.unreachable': {
    exit: EXIT.outOfOrder,
    means: 'The door of a project does not answer a client over HTTP.',
    next: 'Check the address, and that `ability serve` or the runtime runs there.',
  },
  'door.unsigned': {
    exit: EXIT.denied,
    means: 'A webhook has no valid signature, or an old one; nothing was read from it.',
    next: "Give the sender the trigger's secret, and compare the clocks.",
  },
  'engine.stuck': {
    exit: EXIT.outOfOrder,
    means:
      'The workflow code failed three times in a row on this task, or workers lost its workflow task ten times; Temporal goes on trying.',
    next: 'Look at the failed workflow task in the Temporal UI; deploy the version that started it.',
  },
  'engine.unsupported': {
    exit: EXIT.outOfOrder,
    means: 'The task was planned for an interpreter, or a version of CEL, that this worker lacks.',
    next: 'Start a worker of that version or a newer one.',
  },
  'environment.not_found': {
    exit: EXIT.usage,
    means: 'The project has no environment of that name.',
    next: 'Choose one of those the message lists, or add it to `ability.yaml`.',
  },
  'expression.failed': {
    exit: EXIT.failed,
    means: 'An expression could not be evaluated: a wrong type, a missing key, a division by zero.',
    next: 'Check with `has()` or `?.` for what may be missing.',
  },
  'expression.not_boolean': {
    exit: EXIT.failed,
    means: 'A condition returned something other than true or false.',
    next: 'Write a comparison.',
  },
  'expression.not_duration': {
    exit: EXIT.failed,
    means: 'A duration is not of the form 500ms, 20s, 10m, 24h or 7d.',
    next: 'Write a number with one of these units.',
  },
  'expression.not_list': {
    exit: EXIT.failed,
    means: 'An expression of `foreach` returned something that is not a list.',
    next: 'Name a list; for a map write a comprehension over its keys.',
  },
  'expression.not_number': {
    exit: EXIT.failed,
    means: 'An expression for a limit did not return a whole number of at least 1.',
    next: 'Make it return one.',
  },
  'expression.not_text': {
    exit: EXIT.failed,
    means: 'A list, a map or null is inside text.',
    next: 'Let the `${{ }}` stand alone to keep its type, or convert it to text.',
  },
  'expression.syntax': {
    exit: EXIT.usage,
    means: 'An expression is not valid CEL.',
    next: 'Correct it at the place the message names.',
  },
  'expression.too_costly': {
    exit: EXIT.failed,
    means: 'An expression is longer, deeper or visits more values than allowed.',
    next: 'Do the work in an ability, or make the data smaller.',
  },
  'expression.unknown_step': {
    exit: EXIT.usage,
    means: 'An expression reads a step that is not in its file or template.',
    next: 'Name a step of the same file; of a template, the step that uses it.',
  },
  'fail_if.matched': {
    exit: EXIT.failed,
    means: 'The implementation answered, and its `fail_if` says that the answer is a failure.',
    next: 'Read the output in the details.',
  },
  'feature.unsupported': {
    exit: EXIT.usage,
    means: 'A definition or a command asks for something that this version does not do. Nothing was done.',
    next: 'Use what the message offers instead.',
  },
  'file.missing': {
    exit: EXIT.failed,
    means: 'A call succeeded without exactly one file for each name without `many`. It is not made again.',
    next: 'Compare the names with `output_files`, or set `many: true`.',
  },
  'file.not_of_task': {
    exit: EXIT.failed,
    means: "A value names a file that is neither of the task's calls nor of its input. No file was handed out.",
    next: 'Pass it by `with` from `steps.ID.files`, or as an input with `{ format: file }`.',
  },
  'file.too_large': {
    exit: EXIT.failed,
    means: 'A file is larger than `policy.max_file`, or the files of a task than `policy.max_task_files`.',
    next: 'Make smaller files, or raise the limit in ability.yaml.',
  },
  'grant.ended': {
    exit: EXIT.failed,
    means: 'The grant has ended: it is used up, revoked, or its time or its task is over.',
    next: 'Run `ability grants list --all` to see how it ended.',
  },
  'grant.not_found': {
    exit: EXIT.usage,
    means: 'The project has no grant of that id.',
    next: 'Run `ability grants list` to see what is granted.',
  },
  'grant.refused': {
    exit: EXIT.denied,
    means: 'The decision did not count, since what it would grant cannot be granted; the message says why.',
    next: 'Decide without a grant, or ask who keeps `grants` of the environment in ability.yaml.',
  },
  'guard.denied': {
    exit: EXIT.denied,
    means: 'A hook denied it.',
    next: 'Follow the suggestion in the message; `ability why KEY` shows what each hook said.',
  },
  'harvest.example_invalid': {
    exit: EXIT.usage,
    means: 'The example of a script is no record of a call, or does not fit the script.',
    next: 'Pass the key of a task, or a file whose `input` and `output` fit.',
  },
  'harvest.no_interpreter': {
    exit: EXIT.usage,
    means: 'Neither the extension nor the first line of the script names a program that runs it.',
    next: 'Begin it with `#!` and its program, or translate it (TypeScript into `.mjs`).',
  },
  'harvest.no_page': {
    exit: EXIT.usage,
    means: "The routing document of the script's scope cannot take its row; nothing was written.",
    next: 'Bring the page in step, and promote the script again.',
  },
  'harvest.no_proposal': {
    exit: EXIT.usage,
    means: 'There is no proposal of that name.',
    next: 'Run `ability harvest`.',
  },
  'harvest.no_script': {
    exit: EXIT.usage,
    means: 'This is no script in a folder `scripts` below a `workdocs`.',
    next: 'Run `ability harvest`; for others use `ability scaffold scripts FILE`.',
  },
  'harvest.promoted': {
    exit: EXIT.usage,
    means: 'An ability runs this script already.',
    next: 'Use that ability, which the message names.',
  },
  'harvest.proposal_invalid': {
    exit: EXIT.failed,
    means: 'A proposed file does not load, or lint finds errors in it; it was not written.',
    next: 'Correct what the message names, and ask for it again.',
  },
  'history.invalid': {
    exit: EXIT.usage,
    means: 'This is not the history of a task, or not in JSON.',
    next: 'Write one with `temporal workflow show --workflow-id KEY --output json`, or pass the task key.',
  },
  'hook.failed': {
    exit: EXIT.denied,
    means: 'A guard crashed, hung, or did not return a decision, which counts as a deny.',
    next: 'Fix the hook; the message has its output, and docs/hooks.md what an answer is.',
  },
  'hook.timeout': {
    exit: EXIT.failed,
    means: 'Hooks after calls still ran ten seconds after the task was done, and were not awaited.',
    next: 'Make the hook faster. The result does not change.',
  },
  'http.error': {
    exit: EXIT.failed,
    means: 'A service answered with a failure; the code itself is `http.<status>`.',
    next: 'Read the answer in the details.',
  },
  'import.by_agent': {
    exit: EXIT.denied,
    means: 'An agent tried to import hooks in place of existing guards.',
    next: 'Let a person import them, or use another `--name`.',
  },
  'import.no_server': {
    exit: EXIT.usage,
    means: 'An OpenAPI document does not say where its service is.',
    next: 'Pass the address: `ability import openapi SOURCE --server https://api.example.com/v1`.',
  },
  'import.not_ours': {
    exit: EXIT.usage,
    means: 'An import would write a file that it did not make.',
    next: 'Move or rename the file that the message names.',
  },
  'import.state_broken': {
    exit: EXIT.usage,
    means: 'The record of the last import cannot be read, so edits cannot be told from changes of the source.',
    next: 'Restore it in `registry/.imports`, or delete it: edited files then stay.',
  },
  'import.unavailable': {
    exit: EXIT.usage,
    means: 'A description to import could not be read: no such file, or its address did not return one.',
    next: 'Check it; download a description that is behind a login.',
  },
  'import.unreadable': {
    exit: EXIT.usage,
    means: 'This is not an OpenAPI document, or its meaning is unclear.',
    next: 'Fix it at the place the message names, or import another copy.',
  },
  'import.unsupported': {
    exit: EXIT.usage,
    means: 'An OpenAPI document has an unsupported version, or is too large.',
    next: 'Import OpenAPI 3.0 or 3.1; convert other versions first.',
  },
  'import.write_failed': {
    exit: EXIT.failed,
    means: 'Not all files of an import could be written, so none was.',
    next: 'Make room or fix the permissions, then import again.',
  },
  'input.invalid': {
    exit: EXIT.usage,
    means:
      'The input does not satisfy the `input_schema`, cannot be passed to the script (a list as one argument, a text like an option), or not be read exactly (an integer beyond 2^53 - 1, a key twice, no UTF-8).',
    next: 'Correct the fields the message names; `ability show ID` prints the schema.',
  },
  'internal.error': {
    exit: EXIT.failed,
    means: 'A bug in Ability Runtime. The task was ended, and its `finally` ran.',
    next: 'Please report it with the output of `ability task show KEY --json`.',
  },
  'limit.approval_items': {
    exit: EXIT.failed,
    means: 'A `foreach` would ask once for more calls than people can look through; nothing was asked or called.',
    next: 'Leave its `approval` out, or pass it a part of the list at a time.',
  },
  'limit.max_calls': {
    exit: EXIT.failed,
    means: 'The task has made `limits.max_calls` calls.',
    next: 'Raise the limit, or find out why it calls so often.',
  },
  'limit.max_cost': {
    exit: EXIT.failed,
    means: 'An agent has cost `limits.max_cost` without an answer.',
    next: 'See `ability why`; raise the limit or ask for less.',
  },
  'limit.max_tokens': {
    exit: EXIT.failed,
    means: 'An agent has used `limits.max_tokens` tokens without an answer.',
    next: 'See `ability why`; raise the limit or ask for less.',
  },
  'limit.max_turns': {
    exit: EXIT.failed,
    means: 'An agent has asked its model `limits.max_turns` times without an answer.',
    next: 'See `ability why`; raise the limit or ask for less.',
  },
  'mcp.definition_changed': {
    exit: EXIT.unavailable,
    means:
      'An MCP server describes the tool otherwise than when it was imported, or else when the task was created: it was not called.',
    next: 'Read the difference. If you still want it, run `ability import mcp SERVER` if it was imported; then create the task again or run `ability task retry`, which pins it anew.',
  },
  'mcp.input_required': {
    exit: EXIT.failed,
    means:
      'An MCP server wants to ask its client something (elicitation, sampling, roots), which a durable call cannot answer. The message says whether the call had begun.',
    next: 'Pass everything in the input; if a person has to agree, put an approval before the call.',
  },
  'mcp.no_session': {
    exit: EXIT.failed,
    means: 'An MCP server with `session: task` opened no session; nothing was called.',
    next: 'Set `session: shared`, if its tools keep no state between calls.',
  },
  'mcp.not_pinned': {
    exit: EXIT.unavailable,
    means: 'The environment is protected, and the worker could not see the MCP tool to pin.',
    next: 'Make sure that the server runs and lists it, then create the task again.',
  },
  'mcp.output_invalid': {
    exit: EXIT.failed,
    means:
      "A tool's answer is not as the contract says. The call counts as made: repeated only if `retry.errors` names this code, its `undo` is due.",
    next: 'Compare the answer in the details with `output_schema`.',
  },
  'mcp.session_lost': {
    exit: EXIT.failed,
    means:
      "The task's session with an MCP server has ended: the server or its worker ended, or it was idle for an hour. The call was not made.",
    next: 'Run the ability again, with a new session.',
  },
  'mcp.start_failed': {
    exit: EXIT.failed,
    means: 'An MCP server could not be started or did not speak the protocol.',
    next: 'Read its stderr in the message; check `command`, `args` and `env_profile` under `mcp_servers`.',
  },
  'mcp.task_required': {
    exit: EXIT.failed,
    means:
      'An MCP server runs the tool only as a task of its own, which is not supported. If it answered with one, the call may continue there.',
    next: 'Choose another tool, or a setting of the server.',
  },
  'mcp.tool_error': {
    exit: EXIT.failed,
    means: 'A tool answered that it failed.',
    next: 'Read its words in the message.',
  },
  'mcp.tool_invalid': {
    exit: EXIT.failed,
    means:
      'An MCP server describes the tool unreliably (a part of the wrong kind, two of one name): it was not called.',
    next: 'Have the server corrected; its other tools can be called.',
  },
  'mcp.tool_missing': {
    exit: EXIT.failed,
    means: 'The MCP server has no tool of that name.',
    next: 'Correct `tool`; the message lists the tools there are.',
  },
  'model.answer_broken': {
    exit: EXIT.failed,
    means: 'The answer of a model cannot be read, or is too large.',
    next: 'Run it again; else look at what the endpoint answers, or use another model.',
  },
  'model.not_configured': {
    exit: EXIT.unavailable,
    means: "The worker's environment names no endpoint for an agent's model, or one that the policy does not allow.",
    next: 'Set `OPENAI_BASE_URL` and `OPENAI_API_KEY` there, then run `ability down`; or add the host to `policy.allowed_hosts`.',
  },
  'model.rejected': {
    exit: EXIT.failed,
    means:
      'The endpoint of a model refused the request (key, quota, unknown model, length), is none, or the model refused to answer.',
    next: 'Read its code in the message; check key, quota, and `models` in `ability.yaml`.',
  },
  'model.unavailable': {
    exit: EXIT.failed,
    means: 'The endpoint of a model was not reached, failed, or broke off its answer, also when asked again.',
    next: 'Check it, then run `ability task retry` with the key of the task.',
  },
  'outcome.unknown': {
    exit: EXIT.unknown,
    means:
      'A call that must not be repeated had started, here or in an earlier run of the task, and its outcome is not known. If it was cut, `details.cause` says why: `race.lost`, `timeout.step`, `task.cancelled`, or the failure of a parallel step.',
    next: 'Check by hand whether the effect took place; `ability why` says how to go on. Set `cut: allowed` at a call that may be cut.',
  },
  'output.invalid': {
    exit: EXIT.failed,
    means: 'The output does not satisfy the `output_schema` of the ability.',
    next: 'Correct the `output` of the definition or its schema.',
  },
  'output.too_large': {
    exit: EXIT.failed,
    means: 'An output is too large; a call with it was made, and its `undo` is due.',
    next: 'Write large data to a file or service and return where it is.',
  },
  'pack.not_found': {
    exit: EXIT.usage,
    means: 'There is no pack of that name to recruit.',
    next: 'Run `ability list --packs`; the message names the nearest.',
  },
  'payload.damaged': {
    exit: EXIT.outOfOrder,
    means: 'An encrypted value was changed or damaged after it was written.',
    next: 'Restore the database or the store from a backup.',
  },
  'payload.no_key': {
    exit: EXIT.outOfOrder,
    means: 'What `ABILITY_PAYLOAD_KEYS` is set to is no list of keys.',
    next: 'Make them with `ability keys create --payload`, and set the same ones wherever they are used.',
  },
  'payload.unknown_key': {
    exit: EXIT.outOfOrder,
    means: 'A value is encrypted with a key that this process does not have. Nothing is lost; it is tried again.',
    next: 'Set `ABILITY_PAYLOAD_KEYS` as for the worker that wrote it.',
  },
  'placement.conflict': {
    exit: EXIT.usage,
    means: 'The abilities that it may call need several placements of the project, and a task runs in one.',
    next: 'Give it a `placement` whose workers reach them all, or make each part a task of its own.',
  },
  'placement.no_worker': {
    exit: EXIT.outOfOrder,
    means: 'No worker serves the queue on which this would run.',
    next: 'Start one with `ability worker --env NAME`, or run `ability doctor`.',
  },
  'plan.changed': {
    exit: EXIT.unavailable,
    means: 'What would run is not what `--plan` names. Nothing was created.',
    next: 'Read what differs, look at `ability plan` again, and pass its digest.',
  },
  'planner.answer_invalid': {
    exit: EXIT.failed,
    means: 'The AI that plans calls twice sent an answer that cannot be read.',
    next: 'Let it answer with `{"plan": [..], "answer"?}` alone; see docs/agents.md.',
  },
  'planner.call_skipped': {
    exit: EXIT.failed,
    means: 'A planned call was not run, since one before it did not succeed.',
    next: 'Plan it again; what the next plan does not name is cancelled.',
  },
  'planner.declined': {
    exit: EXIT.denied,
    means: 'The requester did not agree to a risk before the first call; nothing was run.',
    next: 'Ask for something else, or agree to the risk.',
  },
  'planner.failed': {
    exit: EXIT.unavailable,
    means: 'The AI that plans calls could not be asked, or gave no whole answer.',
    next: 'Check the endpoint or program, and ask again under another `--key`.',
  },
  'planner.input_not_kept': {
    exit: EXIT.failed,
    means: 'A run was cut off between plan and task of a call whose input had a secret, which no log stores.',
    next: 'Plan the call again under another id.',
  },
  'planner.needs_consent': {
    exit: EXIT.waiting,
    means: 'Hooks of the prompt report a risk, to which the requester has to agree first.',
    next: 'Read the risk; to agree, a person types the command in the message.',
  },
  'planner.plan_invalid': {
    exit: EXIT.failed,
    means: 'The plan of an AI is no valid graph: an id twice, calls that wait for each other, or an unknown `after`.',
    next: 'The AI gets this answer, and may send another plan.',
  },
  'planner.timeout': {
    exit: EXIT.timedOut,
    means: 'The AI that plans calls did not answer within the `timeout` of its provider.',
    next: 'Set a longer `timeout` for `provider`.',
  },
  'planner.turns_exhausted': {
    exit: EXIT.failed,
    means: 'The AI was asked for a plan as often as the run allows, without an answer.',
    next: 'Read in `tasks` what was done; pass a higher `--max-turns`, or ask for less.',
  },
  'project.exists': {
    exit: EXIT.usage,
    means: 'The folder is a project already; nothing was written.',
    next: 'Add to it with `ability scaffold`, or choose another folder.',
  },
  'project.not_found': {
    exit: EXIT.usage,
    means: 'No `ability.yaml` was found here or in any folder above.',
    next: 'Go to a project, pass `--project DIR`, or make one: `ability init`.',
  },
  'project.two_registries': {
    exit: EXIT.usage,
    means: 'The project has both `registry/` and `.system/registry/`.',
    next: 'Keep one of them.',
  },
  'prune.by_agent': {
    exit: EXIT.denied,
    means: 'An agent tried to mark an ability as deprecated.',
    next: 'Let a person type it in a terminal of their own.',
  },
  'race.lost': {
    exit: EXIT.unknown,
    means: 'The cause of an `outcome.unknown`: another branch won the race while the call was at work.',
    next: 'Move the call after the race, or set `cut: allowed` at it.',
  },
  'record.masked': {
    exit: EXIT.usage,
    means: 'An input was taken from a record, in which secrets are masked.',
    next: 'Name a field without secrets, or pass an input of your own.',
  },
  'record.missing': {
    exit: EXIT.usage,
    means: 'The record of the task is not there.',
    next: 'It may have been deleted; `ability task show KEY` asks Temporal instead.',
  },
  'record.remote': {
    exit: EXIT.usage,
    means: 'The record and the logs are on the machine of the worker that ran the task.',
    next: 'Run the command on that host, or share `ABILITY_STORE`.',
  },
  'record.write_failed': {
    exit: EXIT.outOfOrder,
    means: 'The record could not be written.',
    next: 'Make room or fix the permissions, then run `ability task record KEY`, which writes it from the history.',
  },
  'repeat.exhausted': {
    exit: EXIT.failed,
    means: 'The condition of a `repeat` did not hold after its last turn.',
    next: 'Raise `repeat.max`, or find out why it does not become true.',
  },
  'runlog.key_conflict': {
    exit: EXIT.usage,
    means: 'The id already belongs to a run with another request.',
    next: 'Choose another id, or leave it out.',
  },
  'runlog.write_failed': {
    exit: EXIT.outOfOrder,
    means: 'The log of a run could not be written. If it could not be started, nothing was done.',
    next: 'Make room or fix the permissions of `.system/runs`, and ask again.',
  },
  'runtime.elsewhere': {
    exit: EXIT.outOfOrder,
    means: 'The runtime of the project is on another host or in another PID namespace.',
    next: 'Run the command where the message says, or stop the runtime there with `ability down`.',
  },
  'runtime.failed': {
    exit: EXIT.outOfOrder,
    means: 'The runtime of the project did not start.',
    next: 'Read the log the message names; `ability doctor` says what is wrong.',
  },
  'runtime.renamed': {
    exit: EXIT.outOfOrder,
    means: 'The project was renamed, and its runtime still has work under the former name.',
    next: 'Wait until it is done, run `ability down`, or put the former name back.',
  },
  'runtime.stopped': {
    exit: EXIT.outOfOrder,
    means: 'The runtime was stopped with `ability down` while the command waited; the task is on disk.',
    next: 'Go on with `ability task watch KEY`, which starts the runtime.',
  },
  'runtime.version_mismatch': {
    exit: EXIT.outOfOrder,
    means: 'The runtime of the project was started by another version and still has work.',
    next: 'Run `ability down` when its tasks may pause, or use that version.',
  },
  'sandbox.path': {
    exit: EXIT.unavailable,
    means:
      'A path that a `sandbox` declares is missing, leads through a link to what no box may see, or is closed to the user of the box.',
    next: 'Create it where the workers run, give that user the right, or correct `read` and `write`.',
  },
  'sandbox.unavailable': {
    exit: EXIT.unavailable,
    means: 'A script or MCP server has a `sandbox` or `limits` that this machine or this worker cannot keep.',
    next: 'Do what the message says; nothing runs without its box. See docs/scripts.md.',
  },
  'scaffold.changed': {
    exit: EXIT.outOfOrder,
    means: 'Another program changed the file meanwhile; nothing was written.',
    next: 'Run the command again.',
  },
  'scaffold.exists': {
    exit: EXIT.usage,
    means: 'A name or a file to be created exists already; nothing was written.',
    next: 'Choose another name, or move the files away that the message lists.',
  },
  'scaffold.write_failed': {
    exit: EXIT.outOfOrder,
    means: 'Files could not be written, so none was.',
    next: 'Fix what the message names, and run the command again.',
  },
  'schedule.exists': {
    exit: EXIT.usage,
    means: 'The project has a schedule of that name with other settings.',
    next: "Choose another name, or delete that one; a definition's is changed by `ability schedule sync`.",
  },
  'schedule.not_found': {
    exit: EXIT.usage,
    means: 'This project has no schedule of that name on this Temporal.',
    next: 'Run `ability schedule list`.',
  },
  'scope.environment': {
    exit: EXIT.unavailable,
    means: 'The ability, or one it calls, is not registered for this environment.',
    next: 'Choose one of the environments the message lists.',
  },
  'script.arguments_too_large': {
    exit: EXIT.failed,
    means: 'The arguments and variables of a script are too large for the operating system.',
    next: 'Pass large values on `stdin` or in the file `{input_file}`.',
  },
  'script.changed': {
    exit: EXIT.failed,
    means:
      'A script, or a file pinned with it, was edited or removed after the task was created, and its pinned version cannot be read.',
    next: 'Put it back and run again, or create another task.',
  },
  'script.exit': {
    exit: EXIT.failed,
    means: 'A script ended with an exit code other than 0.',
    next: 'Read its stderr, or else stdout, in the message; `ability task logs KEY` has all of it.',
  },
  'script.missing': {
    exit: EXIT.unavailable,
    means: 'A script is not where the definition says.',
    next: 'Correct `path`; it is relative to the project root.',
  },
  'script.not_executable': {
    exit: EXIT.unavailable,
    means: 'Neither the first line (`#!`) of a script nor its extension names a usable interpreter.',
    next: 'Correct its first line, or set `interpreter`.',
  },
  'script.output_broken': {
    exit: EXIT.failed,
    means:
      'A script succeeded but wrote no JSON, or no CSV where required. The call counts as made: repeated only if `retry.errors` names this code, its `undo` is due.',
    next: 'Write one JSON value to the output file or stdout, or set `output`.',
  },
  'script.output_invalid': {
    exit: EXIT.failed,
    means:
      'A script succeeded with an output that the contract does not allow. The call counts as made: repeated only if `retry.errors` names this code, its `undo` is due.',
    next: 'Correct the script or the `output_schema`.',
  },
  'script.output_missing': {
    exit: EXIT.failed,
    means:
      'A script succeeded without an output. The call counts as made: repeated only if `retry.errors` names this code, its `undo` is due.',
    next: 'Write the result to the file `{output_file}`.',
  },
  'script.start_failed': {
    exit: EXIT.failed,
    means: 'A script could not be started.',
    next: 'Check its interpreter.',
  },
  'seal.invalid': {
    exit: EXIT.outOfOrder,
    means:
      "An activity was requested for something that did not pass preflight under this key, or not by the task's workflow.",
    next: 'Create tasks through Ability Runtime; else check who writes to the namespace.',
  },
  'seal.no_key': {
    exit: EXIT.outOfOrder,
    means: 'A worker on a remote server has no key to seal with.',
    next: 'Give all its workers the same `ABILITY_SEAL_KEYS`.',
  },
  'seal.unknown_key': {
    exit: EXIT.outOfOrder,
    means: 'The task was sealed with a key this worker does not have; the call waits and is tried again.',
    next: 'Give the worker that key, in `.system/keys` or `ABILITY_SEAL_KEYS`.',
  },
  'secret.unavailable': {
    exit: EXIT.unavailable,
    means: 'The program of a provider of secrets did not give a secret: it failed, printed nothing, or took too long.',
    next: 'Run the command of the provider where the worker runs, with PATH, HOME and its `env` alone.',
  },
  'session.busy': {
    exit: EXIT.outOfOrder,
    means: 'More happened in the session than it could take in within 20 s; the task or the call was not started.',
    next: 'Do it again in a moment.',
  },
  'session.key_conflict': {
    exit: EXIT.usage,
    means: 'The id is that of an open session in another environment or scope.',
    next: 'Choose another id, or leave out `--id`.',
  },
  'session.not_found': {
    exit: EXIT.usage,
    means: 'This project has no session of that id.',
    next: 'Run `ability session start`, and pass the id that it prints.',
  },
  'session.stopped': {
    exit: EXIT.usage,
    means: 'The session has ended: it was stopped, idle or cancelled. Tasks that were open go on.',
    next: 'Run `ability session start`, and pass the id that it prints.',
  },
  'settings.unreadable': {
    exit: EXIT.usage,
    means: 'The settings file of an agent tool is not JSON, or not as the tool reads it. It was left as it is.',
    next: 'Correct it, then run `ability hooks export` again.',
  },
  'store.full': {
    exit: EXIT.outOfOrder,
    means:
      'A large value, a file, or the mark before an effect could not be stored; a call that needs one was not started.',
    next: 'Make room where the store is, or point `ABILITY_STORE` elsewhere.',
  },
  'store.not_shared': {
    exit: EXIT.outOfOrder,
    means:
      'A large value or a file is in a store that this process cannot reach, or damaged there; or the store is another than before, such as when it is not mounted.',
    next: "Point `ABILITY_STORE` to the workers' store, and mount it; `ability doctor` checks it.",
  },
  'task.cancelled': {
    exit: EXIT.unknown,
    means: 'The cause of an `outcome.unknown`: the task was cancelled while the call was at work.',
    next: 'Check by hand whether the effect took place; set `cut: allowed` at a call that may be cut.',
  },
  'task.closed': {
    exit: EXIT.usage,
    means: 'The task has ended, so this can no longer be done with it.',
    next: 'Run the ability again under another key.',
  },
  'task.delete_failed': {
    exit: EXIT.outOfOrder,
    means: 'The task could not be deleted wholly; the message says what is left.',
    next: 'Fix what it names and delete again.',
  },
  'task.deleted': {
    exit: EXIT.usage,
    means: 'The task was deleted, and its key is not given out again.',
    next: 'Run the ability again under another key.',
  },
  'task.expired': {
    exit: EXIT.failed,
    means: 'The task was created and not run in time, or no worker took it up in time.',
    next: 'Create it again.',
  },
  'task.key_conflict': {
    exit: EXIT.usage,
    means: 'The key already belongs to a task with another ability, environment or input.',
    next: 'Choose another key; `ability task show KEY` shows what holds this one.',
  },
  'task.key_invalid': {
    exit: EXIT.usage,
    means:
      'A key has 1 to 64 letters, digits, dots, dashes and underscores, and begins with a letter or digit; a schedule of Temporal may append its time.',
    next: 'Choose such a key.',
  },
  'task.not_found': {
    exit: EXIT.usage,
    means: 'Neither Temporal nor the records know a task of that key.',
    next: 'Run `ability task list`.',
  },
  'task.not_in_doubt': {
    exit: EXIT.usage,
    means: 'A task was to be reconciled, and has lost no call that can be asked about.',
    next: 'Look whether the effect took place, then run `ability task retry KEY`; give the ability an `unknown` for the next time.',
  },
  'task.not_undone': {
    exit: EXIT.failed,
    means: 'The task was cancelled, and not all was undone: `not_undone` names what is left.',
    next: 'Undo that by hand, or retry the task, which does not repeat it.',
  },
  'task.open': {
    exit: EXIT.usage,
    means: 'The task has not ended, so it cannot be tried again.',
    next: 'Wait with `ability task watch KEY`, or end it with `ability task cancel KEY`.',
  },
  'task.other_project': {
    exit: EXIT.usage,
    means: 'The key belongs to a task of another project on the same Temporal; nothing was changed.',
    next: 'Pass `--project DIR` of that project, or choose another key.',
  },
  'task.started': {
    exit: EXIT.usage,
    means: 'An input can be changed until the task is run; this one was.',
    next: 'Run the ability again under another key: `ability task get KEY | ability run ID --input -`.',
  },
  'task.terminated': {
    exit: EXIT.failed,
    means: 'The workflow was terminated; its `undo` and `finally` did not run.',
    next: 'Check what it left behind. Prefer `ability task cancel`.',
  },
  'task.undecided': {
    exit: EXIT.usage,
    means:
      'A retry might repeat a call that still stands: its undo failed, its outcome is not known, or its result cannot be kept by itself.',
    next: 'Look, then pass `--stands CALL` (it is kept) or `--undone CALL` (it may be repeated).',
  },
  'temporal.attributes_missing': {
    exit: EXIT.outOfOrder,
    means: 'The Temporal server does not have the search attributes that tasks carry.',
    next: 'Run `ability doctor --fix`, or ask those who run the server to add them.',
  },
  'temporal.binary_missing': {
    exit: EXIT.outOfOrder,
    means: 'The Temporal server, or the one for test cases, could not be found or fetched.',
    next: 'Install it, or name it in `ABILITY_TEMPORAL_BIN` or `ABILITY_TEMPORAL_TEST_SERVER_BIN`.',
  },
  'temporal.unavailable': {
    exit: EXIT.outOfOrder,
    means: 'The Temporal server does not answer.',
    next: 'Check the address, or run `ability doctor`.',
  },
  'test.live_model': {
    exit: EXIT.failed,
    means: 'A test case would have asked a model at its endpoint.',
    next: 'Write its turns under `mocks`: `model: [{ output: { calls: [..] } }, { output: { text: .. } }]`.',
  },
  'test.no_cases': {
    exit: EXIT.usage,
    means: 'There are no test cases to run.',
    next: 'Write cases beside an ability, in a `.test.yaml` file; see docs/testing.md.',
  },
  'test.no_decision': {
    exit: EXIT.failed,
    means: 'A test case does not decide an approval of its task.',
    next: 'Write under `approvals`: approve, deny or expire.',
  },
  'test.no_end': {
    exit: EXIT.failed,
    means: 'The task of a test case does not end, however far the clock is moved.',
    next: 'Look at the last step at work; a wait for a signal never ends in a case.',
  },
  'test.no_mock': {
    exit: EXIT.failed,
    means: 'A test case has no mock for a call of its task.',
    next: 'Write its answer under `mocks`, or `live: true` to let it be made.',
  },
  'timeout.call': {
    exit: EXIT.failed,
    means: 'One attempt of a call took longer than its implementation may.',
    next: 'Raise `timeout_sec`, or find out why it is slow.',
  },
  'timeout.cleanup': {
    exit: EXIT.failed,
    means:
      'The `undo` calls or a `finally` took longer than `limits.cleanup`; without it, what is no call longer than five minutes.',
    next: 'Check what they left behind, and raise `limits.cleanup`.',
  },
  'timeout.signal': {
    exit: EXIT.failed,
    means: 'The signal a step waits for did not come in time.',
    next: 'Send it with `ability task signal`, or raise the `timeout` of the wait.',
  },
  'timeout.step': {
    exit: EXIT.failed,
    means: 'A step with all its attempts took longer than it may.',
    next: 'Raise the `timeout` of the step, or find out why it is slow.',
  },
  'timeout.task': {
    exit: EXIT.timedOut,
    means: 'The task took longer than it may.',
    next: 'Raise the `timeout` of the ability, or find out why it is slow.',
  },
  'traces.unsupported': {
    exit: EXIT.outOfOrder,
    means:
      'The `OTEL_*` variables request unsupported traces, or the exporter could not be created; no traces are written.',
    next: 'Set `OTEL_TRACES_EXPORTER` to `otlp` or `none`, and `OTEL_EXPORTER_OTLP_PROTOCOL` to `http/protobuf`; see docs/traces.md.',
  },
  'unavailable.connection': {
    exit: EXIT.failed,
    means: 'A service refused the connection or broke it off.',
    next: 'Check that the service is up and the endpoint is right.',
  },
  'unavailable.rate_limited': {
    exit: EXIT.failed,
    means: 'The rate limit of an implementation leaves no room within the time-out.',
    next: 'Wait, or raise `rate_limit`.',
  },
  'usage.invalid': {
    exit: EXIT.usage,
    means: 'The command line is not understood.',
    next: 'Read the help of the command: `ability COMMAND --help`.',
  },
  'wait.interrupted': {
    exit: EXIT.interrupted,
    means: 'The command was interrupted; the task goes on.',
    next: 'Go on with `ability task watch KEY`, or `ability task cancel KEY`.',
  },
  'wait.timeout': {
    exit: EXIT.timedOut,
    means: 'The time of `--timeout`, counted from the start of the command, is over; a created task goes on.',
    next: 'Go on with `ability task watch KEY`, or a longer `--timeout`; start a worker if none runs.',
  },
  'worker.unavailable': {
    exit: EXIT.outOfOrder,
    means:
      'No worker took up a task or call within a minute; it will not start. Or none answers for an open task or session, so its steps, approvals and files are not known.',
    next: 'Start a worker, or run `ability doctor`; then do it again.',
  },
} as const satisfies Record<string, CodeMeaning>;

/** A code of {@link CODES}. Authors' own codes (`fail`) and `http.<status>` are not among them. */
export type KnownCode = keyof typeof CODES;

/** Code families closed to authors' `fail.code`. Source: docs/workflow-language.md#branching-and-ending. */
export const OUR_FAMILIES: ReadonlySet<string> = new Set(
  [...Object.keys(CODES), 'http', 'invalid', 'denied', 'unavailable', 'timeout'].map((code) => familyOf(code)),
);

/** The first word of a dotted code. */
export function familyOf(code: string): string {
  return code.split('.', 1)[0] ?? code;
}

/** The meaning of a code; `http.<status>` has one meaning for all. Undefined for an author's own code. */
export function meaningOf(code: string): CodeMeaning | undefined {
  if (Object.hasOwn(CODES, code)) return CODES[code as KnownCode];
  return /^http\.\d{3}$/.test(code) ? CODES['http.error'] : undefined;
}
