import * as z from 'zod';
import { ServiceError } from '#shared/base/errors.ts';
import { type Log, messageLog } from '#shared/base/log-lines.ts';
import { noErrors, validate } from '#shared/base/validation.ts';
import { TableState } from '#shared/table/table-state.ts';
import { addMember } from './add-member.ts';
import { backfillLogCommand } from './backfill-log.ts';
import { type Command, type OperatorResult, type OperatorServices, refused } from './command.ts';
import { createOrganization } from './create-organization.ts';
import { createUser } from './create-user.ts';
import { eraseBody } from './erase-body.ts';
import { exportOrganization } from './export-organization.ts';
import { identifyUser } from './identify-user.ts';
import { issueKey } from './issue-key.ts';
import { limitOrganization } from './limit-organization.ts';
import { listOrganizations } from './list-organizations.ts';
import { maintenance } from './maintenance.ts';
import { recoverLogCommand } from './recover-log.ts';
import { replayEvents } from './replay-events.ts';
import { setFeature } from './set-feature.ts';
import { grantSignIn, listSignInGrants, revokeSignIn } from './sign-in-grants.ts';
import { resumeOrganization, suspendOrganization } from './suspend-organization.ts';

const COMMANDS = new Map<string, Command>(
  [
    createOrganization,
    listOrganizations,
    createUser,
    identifyUser,
    addMember,
    grantSignIn,
    revokeSignIn,
    listSignInGrants,
    setFeature,
    issueKey,
    replayEvents,
    eraseBody,
    exportOrganization,
    backfillLogCommand,
    recoverLogCommand,
    maintenance,
    limitOrganization,
    suspendOrganization,
    resumeOrganization,
  ].map((command) => [command.name, command]),
);

interface OperatorOptions {
  /** Names the call in log lines. */
  invocation?: string;
  log?: Log;
}

const Envelope = z.looseObject({ command: z.string() });

/**
 * Runs one command of an operator (rules/organizations.md#operator). There is no check of permissions: only callers with
 * the IAM right to invoke the function, or on the same machine, reach it.
 *
 * @param event `{command, ...fields of the command}`
 * @param options the command that is run is written to `log`, without the values that may be secrets or evidence
 * @returns the result; an invalid command has a result with `ok: false`
 */
export async function runOperator(
  services: OperatorServices,
  event: unknown,
  { invocation = 'none', log }: OperatorOptions = {},
): Promise<OperatorResult> {
  const envelope = Envelope.safeParse(event);
  const command = envelope.success ? COMMANDS.get(envelope.data.command) : undefined;
  if (!envelope.success || !command) return refused(`Give one of the commands ${[...COMMANDS.keys()].join(', ')}`);
  const { command: name, ...fields } = envelope.data;
  const errors = noErrors();
  const input = validate(command.schema, fields, { whole: name }, errors);
  if (!input) {
    return refused(
      Object.entries(errors)
        .map(([field, text]) => `${field}: ${text}`)
        .join('; '),
    );
  }
  const refusal = await refusalByState(services, command);
  if (refusal !== undefined) return refused(refusal);
  const line = messageLog('operator', log);
  const facts = { command: name, organization: fields['organization'] ?? null };
  // Written before the command runs: a command that ends half-way is in the log too.
  line('INFO', 'An operator ran a command', { messageId: invocation }, facts);
  return command.run(input, { ...services, directory: services.principals(services.table) });
}

/** Returns why the table takes no such command now: it is in maintenance, or has a data format of a later release. */
async function refusalByState(services: OperatorServices, { runsInMaintenance }: Command): Promise<string | undefined> {
  const state = new TableState(services);
  try {
    await (runsInMaintenance ? state.isClosed() : state.admitWrite());
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'unavailable') return error.message;
    throw error;
  }
}
