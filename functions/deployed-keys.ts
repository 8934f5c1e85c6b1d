import { KMSClient } from '@aws-sdk/client-kms';
import { CLIENT_SETTINGS } from '#shared/base/client-settings.ts';
import type { SigningKeys } from '#shared/signing/keys.ts';
import { kmsKeys } from '#shared/signing/kms-keys.ts';
import { meter } from '#shared/table/meter.ts';

type KeySettings = { readonly [setting in 'LOG_KEY_ID' | 'WITNESS_KEY_ID' | 'STATEMENT_KEY_ID']?: string | undefined };

/** Returns the keys of a deployed function, by the settings that its rights come with. */
export const deployedKeys = ({ LOG_KEY_ID, WITNESS_KEY_ID, STATEMENT_KEY_ID }: KeySettings): SigningKeys =>
  kmsKeys(meter(new KMSClient(CLIENT_SETTINGS), 'KMS'), {
    log: LOG_KEY_ID,
    witness: WITNESS_KEY_ID,
    statement: STATEMENT_KEY_ID,
  });
