import { retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { authored } from '#shared/organizations/records/audit.ts';
import type { Uses } from '#shared/table/uses.ts';
import { presentAction, secretRotated } from './change-action.ts';
import { prepareSecret, readSecrets, type SigningSecrets } from './records/action-secrets.ts';
import { actionNotFound } from './rules/sentences.ts';
import { mintSecret } from './rules/signature.ts';

export type { SigningSecrets };

export const READ_SECRETS: Uses = { reads: ['ACTIONSECRET'] };

export const ROTATE_SECRET: Uses = { reads: ['ACTIONSECRET'], writes: ['ACTIONSECRET', 'AUDIT'] };

/**
 * Reads the secrets that sign the webhooks of an action now (rules/notifications.md#signing-secret).
 *
 * @throws ServiceError `not-found`
 */
export async function getSigningSecret(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: Organization,
  action: number,
): Promise<SigningSecrets> {
  const { number } = await presentAction(table, org, { number: action });
  const secrets = await readSecrets(table, org.id, number, clock.now());
  // The action was deleted between the two reads.
  if (!secrets) throw actionNotFound();
  return secrets;
}

/**
 * Makes a new secret. The previous secret signs too for 24 hours (rules/notifications.md#rotation).
 *
 * @throws ServiceError `not-found`
 */
export async function rotateSigningSecret(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: Author<SigningSecrets>,
  number: number,
): Promise<SigningSecrets> {
  const { org } = by;
  const action = await presentAction(table, org, { number });
  const secret = mintSecret();
  return retrying(async () => {
    const change = await prepareSecret(table, org.id, number, secret, clock.now());
    if (!change) throw actionNotFound();
    const { secrets, writes } = change;
    const outcome = await table.transact<'again'>([...authored(by, secretRotated(action), secrets), ...writes]);
    return outcome === 'again' ? outcome : secrets;
  });
}
