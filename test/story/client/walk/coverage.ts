import type { Commands } from './commands.ts';
import type { Driven } from './drive.ts';
import { LOCAL, LOCAL_COMMANDS } from './local-flags.ts';

const drivenFlags = (driven: readonly Driven[], command: string): Set<string> =>
  new Set(driven.filter((run) => run.command === command).flatMap(({ flags }) => flags));

/** Lists the commands and the flags of the client that have neither a run nor a reason. */
export function undecided(commands: Commands, driven: readonly Driven[]): string[] {
  return [...commands].flatMap(([command, flags]) => {
    if (command !== '' && LOCAL_COMMANDS[command] !== undefined) return [];
    if (command !== '' && !driven.some((run) => run.command === command)) return [command];
    const used = drivenFlags(driven, command);
    return [...flags.keys()]
      .filter((flag) => !used.has(flag) && !LOCAL['*']?.[flag] && !LOCAL[command]?.[flag])
      .map((flag) => `${command} --${flag}`);
  });
}

/** Lists the reasons that the client has no command or flag for, or that a run makes superfluous. */
export function stale(commands: Commands, driven: readonly Driven[]): string[] {
  const named = Object.keys(LOCAL_COMMANDS).filter(
    (command) => !commands.has(command) || driven.some((run) => run.command === command),
  );
  const flags = Object.entries(LOCAL).flatMap(([command, reasons]) => {
    const all = command === '*' ? [...commands.values()] : [commands.get(command) ?? new Map()];
    return Object.keys(reasons).flatMap((flag) =>
      all.some((present) => present.has(flag)) ? [] : [`${command} --${flag}`],
    );
  });
  return [...named, ...flags];
}
