import { execFile } from 'node:child_process';
import { execPath } from 'node:process';
import { promisify } from 'node:util';
import { PutAccountSendingAttributesCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { localClient } from '#infra/local/settings.ts';
import { commandsOf, readLevers } from '#test/support/alarms/runbook.ts';
import type { IncidentStack } from './incident-stack.ts';

const run = promisify(execFile);

/** What stands for a placeholder of a command: `NAME`, `TEXT`. */
type Placeholders = Record<string, string>;

/**
 * Runs a command of the lever of a section of the runbook, as it stands there. Commands of the operator run as an operator runs them; those
 * of the platform reach the mail service and the event sources of the story.
 *
 * @param part of the command that no other command of the lever has
 * @returns what the command printed
 * @throws Error if the lever has no such command, or if the story cannot run it
 */
export async function pullLever(
  stack: IncidentStack,
  section: string,
  part: string,
  placeholders: Placeholders = {},
): Promise<string> {
  const commands = commandsOf(readLevers().get(section.toLowerCase()) ?? '').filter((found) => found.includes(part));
  const [command] = commands;
  if (commands.length !== 1 || !command)
    throw new Error(`The lever of ${section} has ${commands.length} commands ${part}`);
  const [, operated] = /^npm run operator -- (.+)$/.exec(command) ?? [];
  if (operated !== undefined) return operate(stack, operated, placeholders);
  const [, worker, option] =
    /^aws lambda update-event-source-mapping --uuid \$\(mapping (notifier|integrator)\) --(enabled|no-enabled)$/.exec(
      command,
    ) ?? [];
  if (worker !== undefined) {
    await stack.update(worker === 'notifier' ? 'notifier' : 'integrator', option === 'enabled');
    return '';
  }
  if (command !== 'aws sesv2 put-account-sending-attributes --sending-enabled') {
    throw new Error(`The story cannot run: ${command}`);
  }
  const client = new SESv2Client(localClient(stack.mails.endpoint));
  await client.send(new PutAccountSendingAttributesCommand({ SendingEnabled: true }));
  return '';
}

async function operate({ dataDir }: IncidentStack, command: string, placeholders: Placeholders): Promise<string> {
  const args = command
    .replace(' --stage <stage>', '')
    .split(' ')
    .map((word) => placeholders[word] ?? word);
  const { stdout } = await run(execPath, ['infra/operator.ts', ...args, '--data-dir', dataDir]);
  return stdout;
}
