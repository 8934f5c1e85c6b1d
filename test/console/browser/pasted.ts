import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { env } from 'node:process';
import { INSTALL } from '#console/connect/model/place.ts';
import { CLIENT_PROGRAM } from '#test/story/client/client.ts';

const { PATH } = env;

/**
 * Runs texts in a bash without settings, as a person pastes them: one after another, and each has to succeed. The client is there
 * already, in the version that the text for its installation names, so that text does not run.
 *
 * @param given variables; `input` is what bash gets where it asks
 * @returns what was printed
 */
export function pasted(
  texts: readonly string[],
  { cwd, input = '', variables = {} }: { cwd: string; input?: string; variables?: Record<string, string> },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const script = texts.filter((text) => text !== INSTALL).join('\n');
    const child = execFile(
      'bash',
      ['--noprofile', '--norc', '-e', '-c', script],
      { cwd, env: { HOME: cwd, PATH: `${dirname(CLIENT_PROGRAM)}:${PATH}`, ...variables } },
      (error, stdout, stderr) =>
        error ? reject(new Error(`${stdout}${stderr}`, { cause: error })) : resolve(`${stdout}${stderr}`),
    );
    child.stdin?.end(`${input}\n`);
  });
}
