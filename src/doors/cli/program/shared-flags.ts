import type { Command } from '@commander-js/extra-typings';
import { repeatable } from './declare-command.js';

export const SCOPE = 'the folder that it is about (default: ABILITY_SCOPE, then the nearest ABILITY.md)';

export const TIME = 'a time such as 2026-01-31T08:00:00Z (UTC without a zone)';

export const inputFlags = (command: Command) =>
  command
    .option('--input <json>', 'the input: JSON, @file, or - for stdin')
    .addOption(repeatable('--set <assignment>', 'one field: name=text, name:=JSON, or name=@file'));

/** @param key the description of `--key`. */
export const taskFlags = (key: string) => (command: Command) =>
  inputFlags(command)
    .addOption(repeatable('--file <assignment>', 'a file as input: name=PATH; several of one name are a list'))
    .option('--key <key>', key)
    .option('--intent <text>', 'what it is for; kept and shown with the task')
    .option('--plan <digest>', 'refuse anything but this plan: what `ability plan` prints, or @file of its --json')
    .option('--session <id>', 'the session that it belongs to (default: ABILITY_SESSION)')
    .option('--scope <folder>', SCOPE);

/** @param timeout the description of `--timeout`. */
export const followFlags =
  (timeout = 'wait no longer, from the start of the command; the task goes on') =>
  (command: Command) =>
    command
      .option('--junit <file>', 'write the steps as JUnit XML')
      .option('--verbose', 'show what the calls write as it comes, each line with its step')
      .option('--timeout <duration>', timeout)
      .option('--wait-approval <duration>', 'off a terminal: wait this long for an approval');
