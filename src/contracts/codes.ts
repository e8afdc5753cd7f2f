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
    means: 'The ability is described, and what it does is not written yet.',
    next: 'Write its `steps`, or choose another ability with `ability list`.',
  },
  'ability.not_found': {
    exit: EXIT.usage,
    means: 'No ability of that id is registered in this project.',
    next: 'Run `ability list` to see what there is; the message names the nearest ids.',
  },
  'ability.unavailable_here': {
    exit: EXIT.unavailable,
    means:
      'The ability that fits a request in plain words cannot run in this environment, or lacks something that it needs.',
    next: 'Set what the message names. Only the user chooses another environment, with `--env`.',
  },
  'agent.answer_invalid': {
    exit: EXIT.failed,
    means:
      'The answer of an agent is empty or does not fit its `output_schema`, even after its model was asked once to repair it.',
    next: 'State in `instructions` what the answer has to be, or use another model; `ability why` shows what it answered.',
  },
  'agent.not_a_tool': {
    exit: EXIT.failed,
    means:
      'The model of an agent requested a call of something that is not one of its tools. This is reported to the model, and nothing is called.',
    next: 'Nothing needs to be done, unless the agent fails because of it: then list the ability among its `operations`.',
  },
  'agent.wider_grant': {
    exit: EXIT.denied,
    means:
      'An agent tried to delegate more abilities to another agent than both may call. This is reported to the model, and nothing is called.',
    next: 'Add the abilities to the `operations` of both agents, where they should have them.',
  },
  'api.output_invalid': {
    exit: EXIT.failed,
    means:
      'A service answered with success, but with something the contract does not allow: the call was made, is made again only where `retry.errors` names this code, and its `undo` is due.',
    next: 'Compare the answer in the details with `output_schema`, or choose another `response` form.',
  },
  'approval.by_agent': {
    exit: EXIT.denied,
    means: 'An agent tried to decide an approval; only people do.',
    next: 'Let a person decide, in a terminal of their own or in the Temporal UI.',
  },
  'approval.changes_requested': {
    exit: EXIT.denied,
    means:
      'An approver asks for changes first; their comment, in the details, says which. What was asked for is refused.',
    next: 'Make the changes and run the ability again, or name the code in an `on_error` that makes them.',
  },
  'approval.denied': {
    exit: EXIT.denied,
    means: 'An approver denied the request.',
    next: 'Read the comment in the result; ask the approver, or run something else.',
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
    next: 'Pass `--wait-approval`, or leave out `--direct`: then the task waits.',
  },
  'approval.not_found': {
    exit: EXIT.usage,
    means: 'No open approval of this project has that id.',
    next: 'Run `ability approvals` to see what is open.',
  },
  'approval.unproved': {
    exit: EXIT.denied,
    means:
      'The environment asks for proof of who decides, and this command cannot prove that it is the person it names.',
    next: "Decide as the user of the operating system who owns the project's own runtime, without `--as`.",
  },
  'child.cancelled': {
    exit: EXIT.failed,
    means: 'A workflow that the task called was cancelled, and the task itself was not.',
    next: 'Run it again, or handle this code with `on_error` if the task should go on without it.',
  },
  'child.failed': {
    exit: EXIT.failed,
    means: 'A workflow that the task called ended without saying why.',
    next: 'Look at it in the Temporal UI under the key the message names.',
  },
  'concurrency.busy': {
    exit: EXIT.failed,
    means: 'Another task holds the concurrency key of this one, which has `on_busy: refuse`; nothing was started.',
    next: 'Wait for the task that the message names, or set `on_busy` of the ability to `wait` or `cancel_older`.',
  },
  'concurrency.replaced': {
    exit: EXIT.failed,
    means:
      'The task waited for its turn with `on_busy: newest`, and a newer task with the same concurrency key took its place; nothing was started.',
    next: 'Watch the newer task, which the message names; if each task must run, set `on_busy: wait`.',
  },
  'config.invalid': {
    exit: EXIT.usage,
    means: 'The configuration contradicts itself or names something that does not exist.',
    next: 'Correct the file at the place the message names.',
  },
  'config.missing_credential': {
    exit: EXIT.unavailable,
    means: 'A credential that the ability needs in this environment is not set where the worker runs.',
    next: 'Set it in `.env`, `.env.<environment>` or the environment of the worker; after a change of the latter run `ability down`.',
  },
  'config.missing_endpoint': {
    exit: EXIT.unavailable,
    means: 'The ability has no address to call in this environment.',
    next: 'Set its endpoint in `registry/config`, under the environment the message names.',
  },
  'config.missing_price': {
    exit: EXIT.usage,
    means:
      'An agent has a `limits.max_cost`, and its model, or that of an agent that it may call, has no price, so that its cost cannot be counted.',
    next: 'Set `price: { input, output }` of the model, per million tokens each, under `models` in `ability.yaml`.',
  },
  'config.missing_program': {
    exit: EXIT.unavailable,
    means: 'The program that runs a script, or that is an MCP server, is not on the machine that plans the ability.',
    next: 'Install it there and on the workers, or name another in the first line of the script, `interpreter` or `command`.',
  },
  'config.no_environment': {
    exit: EXIT.usage,
    means: 'The project has several environments and nothing says which one is meant.',
    next: 'Pass `--env`, set `ABILITY_ENV`, or set `default_environment` in `ability.yaml`.',
  },
  'config.no_implementation': {
    exit: EXIT.unavailable,
    means: 'The operation has no implementation that may be used in this environment.',
    next: 'Add an `implementation`, or name one under `default_implementation` in `registry/config`.',
  },
  'config.no_model': {
    exit: EXIT.unavailable,
    means: 'An agent uses a model that `models` in `ability.yaml` does not define.',
    next: 'Define it there: `models: { default: { model: NAME } }`, with the name that the endpoint of `OPENAI_BASE_URL` uses for it.',
  },
  'config.registry_differs': {
    exit: EXIT.usage,
    means: 'The worker would run other definitions or scripts than those here, and `--strict` was given.',
    next: 'Deploy these definitions and scripts to the workers, or leave out `--strict`.',
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
    means: 'A definition is larger, deeper or has more aliases than any reasonable definition.',
    next: 'Split it, or write the aliases out.',
  },
  'definition.unknown_reference': {
    exit: EXIT.usage,
    means: 'A definition names an ability, environment, implementation, hook, server or profile that is not there.',
    next: 'Correct the name or add what is missing; the message names the nearest ids.',
  },
  'definition.unread': {
    exit: EXIT.usage,
    means: 'A definition is in a place that is not read, or is a hook that can never run.',
    next: 'Follow the suggestion, or delete it: what it guards or sets is neither guarded nor set.',
  },
  'denied.host': {
    exit: EXIT.failed,
    means: 'A call would have gone to a host or address that the policy does not allow.',
    next: 'Add it to `policy.allowed_hosts` in `ability.yaml`, if it should be reachable.',
  },
  'docs.invalid': {
    exit: EXIT.usage,
    means:
      'A routing document cannot be kept in step: its markers or a table are broken, or it is no file of the project.',
    next: 'Correct the document at the place the message names; nothing was written.',
  },
  'docs.none': {
    exit: EXIT.usage,
    means: 'There is no routing document where the command looked, so nothing was checked.',
    next: 'Write one with `ability docs --add FOLDER`; see docs/routing-documents.md.',
  },
  'docs.not_ours': {
    exit: EXIT.usage,
    means:
      'A document for AIs (AGENTS.md, SKILL.md) was written by hand: it has none of our markers, so it is not written over.',
    next: 'Write the two markers that the message names where the rules are to be, or move the file away.',
  },
  'docs.out_of_step': {
    exit: EXIT.failed,
    means:
      'The tables of a routing document differ from the definitions, or a document for AIs differs from what this version would write.',
    next: 'Run `ability docs`, look at the change, and commit it.',
  },
  'docs.write_failed': {
    exit: EXIT.outOfOrder,
    means: 'A routing document could not be written, or it was changed meanwhile.',
    next: 'Make room on the disk or fix its permissions, and run the command again.',
  },
  'door.bad_request': {
    exit: EXIT.usage,
    means: 'A request over HTTP does not have the form that its route accepts; nothing was done.',
    next: 'Compare the request with `GET /v1/openapi.json`; the details name each place.',
  },
  'door.busy': {
    exit: EXIT.unavailable,
    means: 'The door has reached its maximum of running and of waiting calls; this call was not started.',
    next: 'Call again when some of the others have been answered.',
  },
  'door.cross_site': {
    exit: EXIT.denied,
    means: 'A web page of another site sent the request; nothing was done.',
    next: 'Call the door from a program, or from a page that the door itself is the origin of.',
  },
  'door.delivery_invalid': {
    exit: EXIT.usage,
    means:
      'A signed webhook was received, but its trigger could not derive a key, an input or a result of `if` from it; nothing was started.',
    next: 'Check in `if` for what the trigger reads, or fix the trigger; the details name the part. Then have the sender send it again.',
  },
  'door.forbidden': {
    exit: EXIT.denied,
    means: 'The token is valid, but does not have the right that this requires.',
    next: 'Make a token with that right: `ability token create --person NAME --can read,run,approve`.',
  },
  'door.foreign_host': {
    exit: EXIT.denied,
    means:
      'The request names a host that is not this door; the name of a foreign site may have been made to resolve to it.',
    next: 'Use the address that `ability serve` printed, or name the proxy: `--behind-proxy NAME`.',
  },
  'door.media_type': {
    exit: EXIT.usage,
    means: 'The body of a request over HTTP is not declared as JSON.',
    next: 'Send it with the header `content-type: application/json`.',
  },
  'door.no_route': {
    exit: EXIT.usage,
    means: 'The door has no such path, or the path does not accept this method.',
    next: 'Look at `GET /v1/openapi.json`.',
  },
  'door.no_tls': {
    exit: EXIT.usage,
    means: 'The door was to listen beyond this machine without TLS; it did not start.',
    next: 'Pass `--tls-cert` and `--tls-key`, or name the proxy that terminates TLS: `--behind-proxy NAME`.',
  },
  'door.no_token': {
    exit: EXIT.usage,
    means: 'The door was to be reached from beyond this machine while no token exists; it did not start.',
    next: 'Make one first: `ability token create --person NAME --can read,run`.',
  },
  'door.no_webhook': {
    exit: EXIT.usage,
    means: 'No definition of the project states a webhook of that name.',
    next: 'Compare the address that the sender has with `webhook` of `triggers` in the definitions.',
  },
  'door.not_listening': {
    exit: EXIT.outOfOrder,
    means: 'A door or the metrics of a worker could not listen at their address, or a certificate could not be read.',
    next: 'Choose another `--port`, `--host` or `--metrics`; the message has the reason of the operating system.',
  },
  'door.too_large': {
    exit: EXIT.usage,
    means: 'The body of a request over HTTP is larger than the door accepts; it was not read.',
    next: 'Put what is large into a file or a service that the ability reads.',
  },
  'door.too_many': {
    exit: EXIT.unavailable,
    means: 'The caller asks more often than the door allows, or listens to too many tasks at once; nothing was done.',
    next: 'Wait as long as the header `retry-after` says, and ask again; the same `Idempotency-Key` is the same task.',
  },
  'door.unauthenticated': {
    exit: EXIT.denied,
    means: 'A token is required and none was sent, or it is not valid: unknown, expired or revoked.',
    next: 'Send `authorization: Bearer TOKEN`; `ability token list` shows what there is.',
  },
  'door.unreachable': {
    exit: EXIT.outOfOrder,
    means: 'The door of a project does not answer a client over HTTP.',
    next: 'Check the address, and that `ability serve` or the runtime runs there.',
  },
  'door.unsigned': {
    exit: EXIT.denied,
    means:
      'A webhook has no signature, or one that does not fit its body and secret, or is too old; nothing was read from it.',
    next: 'Give the sender the secret that the trigger names, and compare the clocks; GitHub and Standard Webhooks are supported.',
  },
  'engine.stuck': {
    exit: EXIT.outOfOrder,
    means:
      'The workflow code failed three times in a row on this task, or a worker lost its workflow task ten times; Temporal goes on trying.',
    next: 'Look at the failed workflow task in the Temporal UI; deploy the worker version that the task was started with.',
  },
  'engine.unsupported': {
    exit: EXIT.outOfOrder,
    means: 'The task was planned for an interpreter, or a version of CEL, that this worker does not have.',
    next: 'Start a worker of the version that made the plan, or a newer one.',
  },
  'environment.not_found': {
    exit: EXIT.usage,
    means: 'The project has no environment of that name.',
    next: 'Choose one of those the message lists, or add it to `ability.yaml`.',
  },
  'expression.failed': {
    exit: EXIT.failed,
    means: 'An expression could not be evaluated: a wrong type, a missing key, a division by zero.',
    next: 'Check with `has()` or `?.` for what may be missing; the message names the path.',
  },
  'expression.not_boolean': {
    exit: EXIT.failed,
    means: 'A condition returned something other than true or false.',
    next: 'Write a comparison.',
  },
  'expression.not_duration': {
    exit: EXIT.failed,
    means: 'A time-out or other duration is not of the form 500ms, 20s, 10m, 24h or 7d.',
    next: 'Write a number with one of these units.',
  },
  'expression.not_list': {
    exit: EXIT.failed,
    means: 'An expression of `foreach` returned something that is not a list.',
    next: 'Name a list; for a map write a comprehension over its keys.',
  },
  'expression.not_number': {
    exit: EXIT.failed,
    means: 'An expression for a limit returned something other than a whole number of at least 1.',
    next: 'Make it return a whole number of at least 1.',
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
    means: 'An expression is longer, deeper or visits more values than the limits allow.',
    next: 'Do the work in an ability, or make the data smaller before it comes here.',
  },
  'expression.unknown_step': {
    exit: EXIT.usage,
    means: 'An expression reads a step that is not in its file, or not in its template.',
    next: 'Name a step of the same file; of a template, the step that uses it.',
  },
  'fail_if.matched': {
    exit: EXIT.failed,
    means: 'The implementation answered, and its `fail_if` says that the answer is a failure.',
    next: 'Read the output in the details.',
  },
  'feature.unsupported': {
    exit: EXIT.usage,
    means: 'A definition or a command asks for something that this version does not do.',
    next: 'Use what the message offers instead; nothing was ignored and nothing was done.',
  },
  'file.missing': {
    exit: EXIT.failed,
    means:
      'A call succeeded but did not leave the files that its contract names: exactly one for each name without `many`. The call is not made again.',
    next: 'Compare the names that the message lists with `output_files`; set `many: true` where there may be any number.',
  },
  'file.not_of_task': {
    exit: EXIT.failed,
    means:
      'A value names a file that the task does not have: its own calls did not make it, and it was not part of its input. No file was handed out.',
    next: 'Pass the file through `with` from `steps.ID.files`, or pass it as an input whose schema has `{ format: file }`.',
  },
  'file.too_large': {
    exit: EXIT.failed,
    means: 'A file is larger than `policy.max_file`, or the files of a task together than `policy.max_task_files`.',
    next: 'Make smaller files, or raise the limit in ability.yaml.',
  },
  'guard.denied': {
    exit: EXIT.denied,
    means: 'A hook denied it.',
    next: 'Follow the suggestion in the message; `ability why KEY` shows what each hook said.',
  },
  'harvest.example_invalid': {
    exit: EXIT.usage,
    means: 'The example of a script is not a record of a call, or does not fit what the script accepts.',
    next: 'Pass the key of a task, or a file whose `input` and `output` fit the script; the message names what does not.',
  },
  'harvest.no_interpreter': {
    exit: EXIT.usage,
    means: 'Neither the ending nor the first line of the script names a program that runs it.',
    next: 'Begin it with `#!` and its program, which then has to be there, or translate it (TypeScript into `.mjs`).',
  },
  'harvest.no_page': {
    exit: EXIT.usage,
    means: 'The routing document of the scope of a script cannot take its row as it is, so nothing was written.',
    next: 'Bring the page in step as the message says, and promote the script again.',
  },
  'harvest.no_proposal': {
    exit: EXIT.usage,
    means: 'There is no proposal of that name.',
    next: 'See `ability harvest` for those there are.',
  },
  'harvest.no_script': {
    exit: EXIT.usage,
    means: 'What was to be promoted is no script in a folder `scripts` below a `workdocs`.',
    next: 'See `ability harvest` for those there are; for others there is `ability scaffold scripts FILE`.',
  },
  'harvest.promoted': {
    exit: EXIT.usage,
    means: 'An ability runs this script already.',
    next: 'Use that ability, which the message names.',
  },
  'harvest.proposal_invalid': {
    exit: EXIT.failed,
    means: 'A proposed file is not valid: it does not load, or lint finds errors in it; it was not written.',
    next: 'Correct what the message names in the abilities that it calls, and ask for it again.',
  },
  'history.invalid': {
    exit: EXIT.usage,
    means: 'What was to be replayed is not the history of a task, or not in JSON.',
    next: 'Write the history with `temporal workflow show --workflow-id KEY --output json`, or pass the task key.',
  },
  'hook.failed': {
    exit: EXIT.denied,
    means: 'A guard crashed, hung, or did not return a decision, which counts as a deny.',
    next: 'Fix the hook; the message contains what it printed or the tail of its stderr, and docs/hooks.md defines what an answer is.',
  },
  'hook.timeout': {
    exit: EXIT.failed,
    means:
      'Hooks after calls were still running ten seconds after the task was done; they were not waited for any longer.',
    next: 'Make the hook faster. The result of the task is not changed by it.',
  },
  'http.error': {
    exit: EXIT.failed,
    means: 'A service answered with a status that means failure; the code itself is `http.<status>`.',
    next: 'Read the answer in the details.',
  },
  'import.by_agent': {
    exit: EXIT.denied,
    means: 'An agent tried to import hooks in place of existing guards; only people may remove or change guards.',
    next: 'Let a person import them, or import under another `--name`.',
  },
  'import.no_server': {
    exit: EXIT.usage,
    means: 'An OpenAPI document does not say at which address its service is.',
    next: 'Pass the address: `ability import openapi SOURCE --server https://api.example.com/v1`.',
  },
  'import.not_ours': {
    exit: EXIT.usage,
    means: 'An import would have to write a file that exists and that it did not make.',
    next: 'Move or rename the file that the message names, then import again.',
  },
  'import.state_broken': {
    exit: EXIT.usage,
    means: 'What was imported last cannot be read, so that edits cannot be distinguished from changes of the source.',
    next: 'Restore the file in `registry/.imports` from version control. Or delete it: edited files are then left as they are.',
  },
  'import.unavailable': {
    exit: EXIT.usage,
    means: 'A description to import could not be read: there is no such file, or its address did not return one.',
    next: 'Check the path or address; download a description that is behind a login, and import the file.',
  },
  'import.unreadable': {
    exit: EXIT.usage,
    means: 'The document to be imported is not an OpenAPI document, or has a fault that makes its meaning unclear.',
    next: 'Fix it at the place the message names, or import another copy.',
  },
  'import.unsupported': {
    exit: EXIT.usage,
    means: 'An OpenAPI document has a version that is not supported, or is larger than the maximum.',
    next: 'Import OpenAPI 3.0 or 3.1; convert other versions first.',
  },
  'import.write_failed': {
    exit: EXIT.failed,
    means: 'The files of an import could not all be written, so none was.',
    next: 'Make room on the disk or fix its permissions, then import again.',
  },
  'input.invalid': {
    exit: EXIT.usage,
    means:
      'The input does not satisfy the `input_schema` of the ability, or cannot be passed to its script: a list as one argument, a text that would be read as an option. Or it cannot be read exactly: an integer beyond 2^53 - 1, a key that an object has twice, bytes that are not UTF-8.',
    next: 'Correct the fields the message names; `ability show ID` prints the schema.',
  },
  'internal.error': {
    exit: EXIT.failed,
    means: 'A bug in Ability Runtime. The task was ended, and its `finally` ran.',
    next: 'Please report it with the output of `ability task show KEY --json`.',
  },
  'limit.max_calls': {
    exit: EXIT.failed,
    means: 'The task has made as many calls as `limits.max_calls` lets it.',
    next: 'Raise the limit, or find out why it calls so often.',
  },
  'limit.max_cost': {
    exit: EXIT.failed,
    means: 'An agent has cost as much as `limits.max_cost` lets it, and has not answered.',
    next: 'Look at what it did with `ability why`; raise the limit or ask for less.',
  },
  'limit.max_tokens': {
    exit: EXIT.failed,
    means: 'An agent has used as many tokens as `limits.max_tokens` lets it, and has not answered.',
    next: 'Look at what it did with `ability why`; raise the limit or ask for less.',
  },
  'limit.max_turns': {
    exit: EXIT.failed,
    means: 'An agent has asked its model as often as `limits.max_turns` lets it, and has not answered.',
    next: 'Look at what it did with `ability why`; raise the limit or ask for less.',
  },
  'mcp.definition_changed': {
    exit: EXIT.unavailable,
    means:
      'An MCP server no longer describes the tool as it did when it was imported, or when the task was created if it was not imported: it was not called.',
    next: 'Read the difference in the message. If the tool is still what you want, run `ability import mcp SERVER` if it was imported; then create the task again or run `ability task retry`, which pins the tool as it is now.',
  },
  'mcp.input_required': {
    exit: EXIT.failed,
    means:
      'An MCP server wants to ask its client something before the tool goes on (elicitation, sampling, roots), which a durable call cannot answer on behalf of a person. The message says whether the call had begun.',
    next: 'Pass the tool everything it needs in its input; if a person has to agree, put an approval step before the call.',
  },
  'mcp.no_session': {
    exit: EXIT.failed,
    means:
      'An MCP server with `session: task` opened no session, so that it could not tell tasks apart; nothing was called.',
    next: 'Set `session: shared` for it, if its tools keep no state between calls.',
  },
  'mcp.not_pinned': {
    exit: EXIT.unavailable,
    means: 'The environment is protected, and the worker could not see the MCP tool it would have to pin.',
    next: 'Make sure that the server named in the message runs and lists the tool, then create the task again.',
  },
  'mcp.output_invalid': {
    exit: EXIT.failed,
    means:
      'A tool answered with something the contract does not allow: the call was made, is made again only where `retry.errors` names this code, and its `undo` is due.',
    next: 'Compare the answer in the details with `output_schema`.',
  },
  'mcp.session_lost': {
    exit: EXIT.failed,
    means:
      'The session of the task with an MCP server has ended before the task: the server or the worker that held it ended, or it was idle for an hour. The call was not made.',
    next: 'Run the ability again; a new task begins with a new session.',
  },
  'mcp.start_failed': {
    exit: EXIT.failed,
    means: 'An MCP server could not be started or did not speak the protocol.',
    next: 'Read the tail of its stderr in the message; check `command`, `args` and `env_profile` under `mcp_servers`.',
  },
  'mcp.task_required': {
    exit: EXIT.failed,
    means:
      'An MCP server runs the tool only as a task of its own, which is not supported. If it answered with one, the call had started and may continue there.',
    next: 'Choose a tool, or a setting of the server, that answers a call itself.',
  },
  'mcp.tool_error': {
    exit: EXIT.failed,
    means: 'A tool answered that it failed.',
    next: 'Read its words in the message.',
  },
  'mcp.tool_invalid': {
    exit: EXIT.failed,
    means:
      'An MCP server describes the tool in a way that cannot be relied on (a part of the wrong kind, two tools of one name): it was not called.',
    next: 'The message names what is wrong. Have the server corrected; its other tools can be called.',
  },
  'mcp.tool_missing': {
    exit: EXIT.failed,
    means: 'The MCP server has no tool of that name.',
    next: 'Correct `tool`; the message lists the tools there are.',
  },
  'model.answer_broken': {
    exit: EXIT.failed,
    means: 'The answer of a model cannot be read, or is larger than the maximum.',
    next: 'Run it again; if the problem persists, look at what the endpoint answers, or use another model.',
  },
  'model.not_configured': {
    exit: EXIT.unavailable,
    means:
      'The model of an agent cannot be asked, since the environment of the worker names no endpoint, or one that the policy does not allow.',
    next: 'Set `OPENAI_BASE_URL` and `OPENAI_API_KEY` where the worker runs, then run `ability down`; or add the host to `policy.allowed_hosts`.',
  },
  'model.rejected': {
    exit: EXIT.failed,
    means:
      'The endpoint of a model refused the request (a wrong key, a used-up quota, an unknown model, too long a conversation), is none, or the model refused to answer.',
    next: 'Read the short code of the endpoint in the message; check the key, its quota, and `models` in `ability.yaml`.',
  },
  'model.unavailable': {
    exit: EXIT.failed,
    means:
      'The endpoint of a model was not reached, answered with an error, or broke off its answer, even when it was asked again.',
    next: 'Check whether the endpoint works, then run `ability task retry` with the key of the task.',
  },
  'outcome.unknown': {
    exit: EXIT.unknown,
    means:
      'A call that must not be repeated had started, here or in an earlier run of the same task, but its outcome could not be determined. If it was cut, `details.cause` names the reason: `race.lost`, `timeout.step`, `task.cancelled`, or the failure of a parallel step.',
    next: 'Check by hand whether the effect took place before you run anything again; `ability why` names an earlier run and how to go on. Set `cut: allowed` at a call that may be cut.',
  },
  'output.invalid': {
    exit: EXIT.failed,
    means: 'The output does not satisfy the `output_schema` of the ability.',
    next: 'Correct the `output` of the definition or its schema.',
  },
  'output.too_large': {
    exit: EXIT.failed,
    means: 'An output is larger than the maximum; if it is that of a call, the call was made, and its `undo` is due.',
    next: 'Write large data to a file or service and return where it is.',
  },
  'pack.not_found': {
    exit: EXIT.usage,
    means: 'There is no pack of that name to recruit.',
    next: 'Run `ability list --packs` to see what there is; the message names the nearest.',
  },
  'placement.no_worker': {
    exit: EXIT.outOfOrder,
    means: 'No worker serves the queue on which this would run.',
    next: 'Start one with `ability worker --env NAME`, or run `ability doctor`.',
  },
  'plan.changed': {
    exit: EXIT.unavailable,
    means: 'What would run is not what `--plan` names: other definitions, or another input. Nothing was created.',
    next: 'Read what differs, look at `ability plan` again, and pass its digest if that is what you want.',
  },
  'planner.answer_invalid': {
    exit: EXIT.failed,
    means: 'The AI that plans calls twice sent an answer that cannot be read.',
    next: 'Let it answer with `{"plan": [..], "answer"?}` and no other keys; docs/agents.md has the form.',
  },
  'planner.call_skipped': {
    exit: EXIT.failed,
    means: 'A planned call was not run, since a call that it comes after did not succeed.',
    next: 'Plan it again where it can run; what the next plan does not name is cancelled.',
  },
  'planner.declined': {
    exit: EXIT.denied,
    means:
      'A risk was reported to the requester before the first call, and the requester did not agree to it; nothing was run.',
    next: 'Ask for something else, or agree to the risk.',
  },
  'planner.failed': {
    exit: EXIT.unavailable,
    means: 'The AI that plans calls could not be asked, or gave no whole answer; the message says why.',
    next: 'Check whether the endpoint or the program answers, and ask again under another `--key`.',
  },
  'planner.input_not_kept': {
    exit: EXIT.failed,
    means:
      'A run was cut off between the plan of a call and its task, and the input contained a secret, which no log stores.',
    next: 'Plan the call again under another id.',
  },
  'planner.needs_consent': {
    exit: EXIT.waiting,
    means: 'Hooks of the prompt report a risk, and the requester has to agree to it before anything is called.',
    next: 'Read the risk; to agree, a person types the command that the message names, which an agent cannot do.',
  },
  'planner.plan_invalid': {
    exit: EXIT.failed,
    means:
      'The plan of an AI is not a valid graph of calls: an id occurs twice, calls wait for each other, or `after` names a call that does not exist.',
    next: 'It is reported to the AI, which may send another plan.',
  },
  'planner.timeout': {
    exit: EXIT.timedOut,
    means: 'The AI that plans calls did not answer within the `timeout` of its provider.',
    next: 'Set a longer `timeout` for `provider`, or find out why it is slow.',
  },
  'planner.turns_exhausted': {
    exit: EXIT.failed,
    means: 'The AI was asked for a plan as often as the run allows, and did not end with an answer.',
    next: 'Read in `tasks` what was done; pass a higher `--max-turns`, or ask for less at once.',
  },
  'project.exists': {
    exit: EXIT.usage,
    means: 'A project was to be made in a folder that is one already; nothing was written.',
    next: 'Add to it with `ability scaffold`, or make a project in another folder.',
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
    means: 'An agent tried to mark an ability as deprecated; only people decide which abilities are given up.',
    next: 'Let a person type it in a terminal of their own.',
  },
  'race.lost': {
    exit: EXIT.unknown,
    means:
      'The cause of an `outcome.unknown`: the call was at work in a branch of a race that another branch won, and was cut.',
    next: 'Move the call after the race, or set `cut: allowed` at it.',
  },
  'record.masked': {
    exit: EXIT.usage,
    means: 'An input was taken from a record, in which secrets are masked, so it cannot be used again.',
    next: 'Name a field without secrets, or run the ability again with an input of your own.',
  },
  'record.missing': {
    exit: EXIT.usage,
    means: 'The record of the task is not there.',
    next: 'It may have been deleted; `ability task show KEY` asks Temporal instead.',
  },
  'record.remote': {
    exit: EXIT.usage,
    means: 'The record and the logs are on the machine of the worker that ran the task.',
    next: 'Run the command there; the message names the host. Where workers and callers share `ABILITY_STORE`, it works everywhere.',
  },
  'record.write_failed': {
    exit: EXIT.outOfOrder,
    means: 'The record could not be written.',
    next: 'Make room on the disk or fix its permissions, then run `ability task record KEY`: it writes the record from the history.',
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
    means: 'The log of a run could not be written. If it could not be started, nothing of the run was done.',
    next: 'Make room on the disk or fix the permissions of `.system/runs`, and ask again.',
  },
  'runtime.elsewhere': {
    exit: EXIT.outOfOrder,
    means: 'The runtime of the project lives on another host or in another PID namespace, where it cannot be reached.',
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
    next: 'Wait until it is done or run `ability down`, or put the former name back.',
  },
  'runtime.stopped': {
    exit: EXIT.outOfOrder,
    means: 'The runtime of the project was stopped with `ability down` while the command waited; the task is on disk.',
    next: 'Go on with `ability task watch KEY`, which starts the runtime.',
  },
  'runtime.version_mismatch': {
    exit: EXIT.outOfOrder,
    means: 'The runtime of the project was started by another version and still has work.',
    next: 'Run `ability down` when its tasks may pause, or use that version.',
  },
  'scaffold.changed': {
    exit: EXIT.outOfOrder,
    means: 'A file that was to be changed was changed by another program meanwhile; nothing was written.',
    next: 'Run the command again.',
  },
  'scaffold.exists': {
    exit: EXIT.usage,
    means: 'A name is taken, or files that would be created exist already; nothing was written.',
    next: 'Choose another name, or move the files away that the message lists.',
  },
  'scaffold.write_failed': {
    exit: EXIT.outOfOrder,
    means: 'Files could not be written, so none was.',
    next: 'Fix what the message names, such as a full disk or missing permissions, and run the command again.',
  },
  'schedule.exists': {
    exit: EXIT.usage,
    means: 'The project has a schedule of that name with other settings.',
    next: 'Choose another name, or delete that schedule first; one that a definition states is changed by `ability schedule sync`.',
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
    means: 'The arguments and variables of a script are larger than the operating system lets a process have.',
    next: 'Pass large values on stdin (`stdin`) or in the file that `{input_file}` names.',
  },
  'script.changed': {
    exit: EXIT.failed,
    means:
      'A script, or a file that is pinned with it, was edited or removed after the task was created, and its pinned version cannot be read.',
    next: 'Put the script back and run again, or create another task.',
  },
  'script.exit': {
    exit: EXIT.failed,
    means: 'A script ended with an exit code other than 0.',
    next: 'Read the tail of its stderr in the message, or of its stdout where stderr is empty; `ability task logs KEY` has all of it.',
  },
  'script.missing': {
    exit: EXIT.unavailable,
    means: 'A script is not where the definition says.',
    next: 'Correct `path`; it is relative to the project root.',
  },
  'script.not_executable': {
    exit: EXIT.unavailable,
    means:
      'Neither the first line (`#!`) of a script nor its extension names its interpreter, or the line cannot be used.',
    next: 'Correct its first line, or set `interpreter`.',
  },
  'script.output_broken': {
    exit: EXIT.failed,
    means:
      'A script succeeded but wrote an output that is not JSON, or not CSV where its definition requires CSV: the call was made, is made again only where `retry.errors` names this code, and its `undo` is due.',
    next: 'Write one JSON value to the output file or to stdout, or set `output` in the definition.',
  },
  'script.output_invalid': {
    exit: EXIT.failed,
    means:
      'A script succeeded but wrote an output that the contract does not allow: the call was made, is made again only where `retry.errors` names this code, and its `undo` is due.',
    next: 'Correct the script or the `output_schema`.',
  },
  'script.output_missing': {
    exit: EXIT.failed,
    means:
      'A script succeeded but wrote no output: the call was made, is made again only where `retry.errors` names this code, and its `undo` is due.',
    next: 'Write the result to the file given as `{output_file}`.',
  },
  'script.start_failed': {
    exit: EXIT.failed,
    means: 'A script could not be started.',
    next: 'Check its interpreter.',
  },
  'seal.invalid': {
    exit: EXIT.outOfOrder,
    means:
      'An activity was requested for something that did not pass preflight under this key, or was not requested by the workflow of the task.',
    next: 'Create tasks through Ability Runtime. If you did, check who else writes to the namespace.',
  },
  'seal.no_key': {
    exit: EXIT.outOfOrder,
    means: 'A worker on a remote server has no key to seal with.',
    next: 'Give all its workers the same `ABILITY_SEAL_KEYS`.',
  },
  'seal.unknown_key': {
    exit: EXIT.outOfOrder,
    means: 'The task was sealed with a key this worker does not have; the call waits and is tried again.',
    next: 'Give the worker that key as well: in `.system/keys` or `ABILITY_SEAL_KEYS`.',
  },
  'session.busy': {
    exit: EXIT.outOfOrder,
    means:
      'More happens in the session at once than it could take in within 20 s; the task or the call was not started.',
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
    means: 'The settings file of an agent tool is not JSON, or does not have the structure that the tool reads.',
    next: 'Correct the file; it was left as it is. Then run `ability hooks export` again.',
  },
  'store.full': {
    exit: EXIT.outOfOrder,
    means:
      'A large value, a file, or the mark that a call leaves before an effect, could not be stored; a call that needs one was not started.',
    next: 'Make room where the store is, or point `ABILITY_STORE` elsewhere.',
  },
  'store.not_shared': {
    exit: EXIT.outOfOrder,
    means:
      'A large value or a file is in a store that this process does not see or cannot reach, or is damaged there; or the folder of the store is not the one that was used before, for example because it is not mounted.',
    next: 'Point `ABILITY_STORE` to the store that the workers of the environment share, and mount it; `ability doctor` says whether it can be used.',
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
    means: 'The task could not be deleted, or not all of it; the message says what is left.',
    next: 'Fix what the message names and delete it again: the deletion continues where it stopped.',
  },
  'task.deleted': {
    exit: EXIT.usage,
    means: 'The task was deleted; what is left of it says by whom and when, and its key is not given out again.',
    next: 'Run the ability again under another key.',
  },
  'task.expired': {
    exit: EXIT.failed,
    means: 'The task was created and not run in time, or no worker took it up within the time that its start named.',
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
  'task.not_undone': {
    exit: EXIT.failed,
    means: 'The task was cancelled, and not everything that it had done was undone: `not_undone` names what is left.',
    next: 'Undo by hand what is left, or retry the task, which does not repeat it.',
  },
  'task.open': {
    exit: EXIT.usage,
    means: 'The task has not ended, so it cannot be tried again.',
    next: 'Wait for it with `ability task watch KEY`, or end it with `ability task cancel KEY`.',
  },
  'task.other_project': {
    exit: EXIT.usage,
    means: 'The key belongs to a task of another project on the same Temporal; nothing was changed or created.',
    next: 'Run the command with `--project DIR` of that project, which the message names; for a task of this one choose another key.',
  },
  'task.started': {
    exit: EXIT.usage,
    means: 'The input of a task can be changed until the task is run; this one was run, or has ended.',
    next: 'Run the ability again under another key: `ability task get KEY | ability run ID --input -`.',
  },
  'task.terminated': {
    exit: EXIT.failed,
    means: 'The workflow was terminated; its clean-up did not run.',
    next: 'Check what it left behind. Prefer `ability task cancel`, which cleans up.',
  },
  'task.undecided': {
    exit: EXIT.usage,
    means:
      'A retry might repeat a call that still stands: its undo failed or its outcome is not known, or the call stands where its result cannot be kept by itself.',
    next: 'Look what is there, then say it with `--stands CALL` (it is kept) or `--undone CALL` (it may be repeated).',
  },
  'temporal.attributes_missing': {
    exit: EXIT.outOfOrder,
    means: 'The Temporal server does not have the search attributes that tasks carry.',
    next: 'Run `ability doctor --fix`, or ask those who run the server to add them.',
  },
  'temporal.binary_missing': {
    exit: EXIT.outOfOrder,
    means: 'The Temporal server, or the one test cases run on, could not be found or fetched.',
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
    next: 'Write under `mocks` what the model says, turn by turn: `model: [{ output: { calls: [..] } }, { output: { text: .. } }]`.',
  },
  'test.no_cases': {
    exit: EXIT.usage,
    means: 'There are no test cases to run, so nothing was tested.',
    next: 'Write cases beside an ability, in a file that ends in `.test.yaml`; see docs/testing.md.',
  },
  'test.no_decision': {
    exit: EXIT.failed,
    means: 'The task of a test case asked for an approval that the case does not decide.',
    next: 'Write under `approvals` what people say: approve, deny or expire.',
  },
  'test.no_end': {
    exit: EXIT.failed,
    means: 'The task of a test case does not end, however far the clock is moved.',
    next: 'Look at the step that was last at work; a wait for a signal never ends in a case.',
  },
  'test.no_mock': {
    exit: EXIT.failed,
    means: 'The task of a test case called something for which the case has no mock.',
    next: 'Write under `mocks` what the call answers, or `live: true` to let it be made.',
  },
  'timeout.call': {
    exit: EXIT.failed,
    means: 'One attempt of a call took longer than its implementation may.',
    next: 'Raise `timeout_sec`, or find out why it is slow.',
  },
  'timeout.cleanup': {
    exit: EXIT.failed,
    means:
      'The `undo` calls, or the steps of a `finally`, took longer than `limits.cleanup`; without it, what is no call took longer than five minutes.',
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
      'The `OTEL_*` variables request traces in a way that is not supported, or the exporter could not be created; a worker logs this and writes no traces.',
    next: 'Set `OTEL_TRACES_EXPORTER` to `otlp` or `none`, and `OTEL_EXPORTER_OTLP_PROTOCOL` to `http/protobuf` or `http/json`; see docs/traces.md.',
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
    next: 'Go on with `ability task watch KEY`, or stop the task with `ability task cancel KEY`.',
  },
  'wait.timeout': {
    exit: EXIT.timedOut,
    means:
      'The time of `--timeout`, which counts from the start of the command, is over; a task that was created goes on.',
    next: 'Go on with `ability task watch KEY`, or pass a longer `--timeout`; start a worker where the message says that none runs.',
  },
  'worker.unavailable': {
    exit: EXIT.outOfOrder,
    means:
      'No worker took up a task or a call within a minute; it did not start, and will not. Or none answers for an open task or session, so that its steps, approvals and files are not known.',
    next: 'Start a worker for the environment, or run `ability doctor`; then ask again, or run the ability again.',
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
