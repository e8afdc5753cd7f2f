import type { OptionValues } from '@commander-js/extra-typings';
import { type Declared, repeatable } from './declare-command.js';

/** What `--scope` is for, wherever something is asked for. */
export const SCOPE = 'the folder that it is about (default: ABILITY_SCOPE, then the nearest ABILITY.md)';

/** Adds the flags for the input of a task. */
export function addInputFlags<Args extends unknown[], Flags extends OptionValues>(command: Declared<Args, Flags>) {
  return command
    .option('--input <json>', 'the input: JSON, @file, or - for stdin')
    .addOption(repeatable('--set <assignment>', 'one field: name=text, name:=JSON, or name=@file'));
}

/** Adds the flags of a command that creates a task. @param key what `--key` is for. */
export function addTaskFlags<Args extends unknown[], Flags extends OptionValues>(
  command: Declared<Args, Flags>,
  key: string,
) {
  return addInputFlags(command)
    .addOption(repeatable('--file <assignment>', 'a file as input: name=PATH; several of one name are a list'))
    .option('--key <key>', key)
    .option('--intent <text>', 'what it is for; kept and shown with the task')
    .option('--plan <digest>', 'refuse anything but this plan: what `ability plan` prints, or @file of its --json')
    .option('--session <id>', 'the session that it belongs to (default: ABILITY_SESSION)')
    .option('--scope <folder>', SCOPE);
}

/** Adds the flags of a command that waits for a task. @param timeout what `--timeout` is for. */
export function addFollowFlags<Args extends unknown[], Flags extends OptionValues>(
  command: Declared<Args, Flags>,
  timeout = 'wait no longer, from the start of the command; the task goes on',
) {
  return command
    .option('--junit <file>', 'write the steps as JUnit XML')
    .option('--verbose', 'show what the calls write as it comes, each line with its step')
    .option('--timeout <duration>', timeout)
    .option('--wait-approval <duration>', 'off a terminal: wait this long for an approval');
}
