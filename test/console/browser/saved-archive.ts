import type { Page } from 'playwright-core';
import { parseVerifierKey } from '#shared/tlog/keys.ts';
import { policyOf } from '#shared/tlog/policy.ts';
import { callsOf } from '#test/story/stack-api.ts';
import { verifyArchive } from '#verify/archive.ts';
import type { Place } from './hostile-organization.ts';
import { START_MILLIS } from './tab.ts';

/**
 * Waits for the archive that a page puts together and saves, and verifies it with the key of the log.
 *
 * @param ask asks the page for the archive
 * @returns how many kinds of lines the archive has
 * @throws Fault if something in the archive is wrong
 */
export async function savedArchive(page: Page, { url, org, key }: Place, ask: () => Promise<void>): Promise<number> {
  const saving = page.waitForEvent('download', { timeout: START_MILLIS });
  await ask();
  const file = await (await saving).path();
  const log = await callsOf(url, org, key).get<{ verifier_keys: { key: string }[] }>('/log');
  const policy = policyOf(...log.verifier_keys.map((one) => parseVerifierKey(one.key)));
  return (await verifyArchive(file, { policy })).scope.length;
}
