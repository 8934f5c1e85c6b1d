import { expect, test } from 'vitest';
import { stale, undecided } from './coverage.ts';
import { LOCAL_COMMANDS } from './local-flags.ts';

const flags = (...names: string[]) => new Map(names.map((name) => [name, true]));
const run = (command: string, ...names: string[]) => ({ command, flags: names, problems: [] });

test('a new command and a new flag are undecided', () => {
  const commands = new Map([
    ['get flow', flags('help', 'output', 'new')],
    ['get everything', flags('help')],
  ]);
  expect(undecided(commands, [run('get flow')])).toEqual(['get flow --new', 'get everything']);
  expect(undecided(commands, [run('get flow', 'new'), run('get everything')])).toEqual([]);
});

test('a run of another command decides nothing', () => {
  const commands = new Map([['get flow', flags('new')]]);
  expect(undecided(commands, [run('get trail', 'new')])).toEqual(['get flow']);
});

test('reasons are stale if the client has no such command or flag, or if a run drives the command', () => {
  const [command = ''] = Object.keys(LOCAL_COMMANDS);
  const found = stale(new Map([[command, flags()]]), [run(command)]);
  expect(found).toEqual(expect.arrayContaining([command, '* --help', 'attest jira --jira-pat']));
});
