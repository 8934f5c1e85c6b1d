import { inject } from 'vitest';
import { execute, KEYS, ORG } from '../client.ts';
import { type Captured, startCapture } from './capture.ts';
import type { Commands } from './commands.ts';
import { isLocal, REACHES_AS } from './local-flags.ts';

/** One run of the client. */
export interface Run {
  /** The command and its arguments. */
  args: readonly string[];
  /** @default 0 */
  exit?: number;
  /** What the client prints. Required where it fails. */
  prints?: RegExp;
  /** Texts by flag that the requests contain, where they do not contain the value itself. */
  reaches?: Readonly<Record<string, readonly string[]>>;
  /** Path below `/api/v2` whose answer shows what the requests contained. */
  shown?: string;
  /** Flags whose texts that answer does not repeat. */
  hidden?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Whether the command talks to no server. @default false */
  local?: boolean;
}

export interface Driven {
  command: string;
  flags: string[];
  /** What is wrong; empty if the run did what it should. */
  problems: string[];
}

/** Runs the client against the stack, and checks that the value of each flag arrived and is shown. */
export async function drive(run: Run, commands: Commands, dir: string): Promise<Driven> {
  const capture = await startCapture(inject('stack').url);
  const env = { HOME: dir, KOSLI_HOST: capture.url, KOSLI_ORG: ORG, KOSLI_API_TOKEN: KEYS.ann, ...run.env };
  try {
    const { code, stdout, stderr } = await execute([...run.args], dir, env);
    const command = commandOf(run.args, commands);
    const flags = flagsOf(run.args, command, commands);
    const ended = exitProblems(run, code, stdout + stderr);
    const problems =
      ended.length > 0
        ? ended
        : [...requestProblems(run, capture.requests), ...(await textProblems(run, command, flags, capture.requests))];
    return {
      command,
      flags: flags.map(({ name }) => name),
      problems: problems.map((problem) => `${command}: ${problem}`),
    };
  } finally {
    await capture.stop();
  }
}

function exitProblems({ exit = 0, prints }: Run, code: number, printed: string): string[] {
  if (code !== exit) return [`ended with ${code}: ${printed.slice(0, 500)}`];
  if (/panic:|goroutine /.test(printed)) return [`crashed: ${printed}`];
  return prints === undefined || prints.test(printed) ? [] : [`printed ${printed}`];
}

function requestProblems({ exit = 0, local = false }: Run, requests: readonly Captured[]): string[] {
  if (local) return requests.length === 0 ? [] : [`sent ${requests[0]?.method} ${requests[0]?.url}`];
  if (requests.length === 0) return ['sent no request'];
  const refused = requests.filter(({ status }) => status >= (exit === 0 ? 400 : 500));
  return refused.map(({ method, url, status }) => `${method} ${url} ${status}`);
}

async function textProblems(run: Run, command: string, flags: readonly Flag[], requests: readonly Captured[]) {
  const sent = requests.map(({ url, body }) => `${url}\n${body}`).join('\n');
  const answer = run.shown === undefined ? null : await read(run.shown);
  return flags.flatMap(({ name, value }) => {
    if (run.local || isLocal(command, name)) return [];
    const texts = run.reaches?.[name] ?? REACHES_AS[name]?.(value) ?? textsOf(value);
    if (texts.length === 0) return [`--${name} has no value to look for`];
    const unsent = texts.filter((text) => !sent.includes(text)).map((text) => `--${name}: ${text} did not arrive`);
    if (answer === null || run.hidden?.includes(name)) return unsent;
    const unshown = texts.filter((text) => !answer.includes(text)).map((text) => `--${name}: ${text} is not shown`);
    return [...unsent, ...unshown];
  });
}

/** `key=value` reaches the service as two texts. */
const textsOf = (value: string | null): string[] =>
  value === null
    ? []
    : /^\w+=/.test(value)
      ? [value.slice(0, value.indexOf('=')), value.slice(value.indexOf('=') + 1)]
      : [value];

async function read(path: string): Promise<string> {
  const headers = { authorization: `Bearer ${KEYS.ann}` };
  const response = await fetch(`${inject('stack').url}/api/v2${path.replaceAll('{org}', ORG)}`, { headers });
  return `${response.status} ${JSON.stringify(await response.json())}`;
}

/** The longest command that the arguments begin with. */
function commandOf(args: readonly string[], commands: Commands): string {
  const lengths = args.map((_, i) => args.slice(0, i + 1).join(' ')).filter((name) => commands.has(name));
  const found = lengths.at(-1);
  if (found === undefined) throw new Error(`The client has no command ${args.join(' ')}`);
  return found;
}

interface Flag {
  name: string;
  value: string | null;
}

function flagsOf(args: readonly string[], command: string, commands: Commands): Flag[] {
  return args.flatMap((argument, i) => {
    const [, name, value] = /^--([\w-]+)(?:=(.*))?$/.exec(argument) ?? [];
    if (name === undefined) return [];
    const takesValue = commands.get(command)?.get(name) ?? commands.get('')?.get(name);
    if (takesValue === undefined) throw new Error(`${command} has no flag --${name}`);
    return [{ name, value: value ?? (takesValue ? (args[i + 1] ?? null) : null) }];
  });
}
