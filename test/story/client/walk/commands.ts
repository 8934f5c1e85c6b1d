import { execute } from '../client.ts';

/** A command without commands below it, and its own flags: whether each takes a value. */
export type Commands = Map<string, Map<string, boolean>>;

/** Commands that the client runs, but lists nowhere. */
const HIDDEN = ['attest override'];

const FLAG = /^ {2,6}(?:-\w, )?--([\w-]+)(?: (\w+))?/gm;

/**
 * Reads every command and every flag from the client: from its `--help`, and from the list that it prints for an unknown command,
 * which also has commands that the help leaves out. Flags of all commands stand under the empty name.
 *
 * @param cwd a folder without settings of the client
 */
export async function readCommands(cwd: string): Promise<Commands> {
  const commands: Commands = new Map();
  const ask = (...args: string[]) => execute(args, cwd, { HOME: cwd, KOSLI_HOST: 'http://127.0.0.1:1' });

  async function walk(path: readonly string[]): Promise<void> {
    const { stdout } = await ask(...path, '--help');
    // The help of a group whose commands are all deprecated has neither a list nor a line of usage.
    const isGroup = path.length === 0 || /^ {2}kosli .* \[command\]$|^Usage:\n\nFlags:/m.test(stdout);
    // Texts of commands can have several lines, so the help alone does not say where the list ends.
    const below = isGroup ? namesIn((await ask(...path, 'no-such-command')).stderr) : [];
    if (path.length === 0 || below.length === 0) commands.set(path.join(' '), flagsIn(stdout));
    await Promise.all(below.map((name) => walk([...path, name])));
  }
  await Promise.all([walk([]), ...HIDDEN.map((command) => walk(command.split(' ')))]);
  return commands;
}

function namesIn(refusal: string): string[] {
  const names = /available subcommands are: (.*)/.exec(refusal)?.[1];
  if (names === undefined) throw new Error(`The client names no commands: ${refusal}`);
  return names.split('|').map((name) => name.trim());
}

function flagsIn(help: string): Map<string, boolean> {
  const own = /^Flags:\n([\s\S]*?)(?=^Global Flags:|$(?![\s\S]))/m.exec(help)?.[1] ?? '';
  return new Map([...own.matchAll(FLAG)].map(([, name = '', type]) => [name, type !== undefined]));
}
