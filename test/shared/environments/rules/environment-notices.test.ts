import { describe, expect, test } from 'vitest';
import type { EnvironmentId } from '#shared/base/ids.ts';
import { fromSeconds } from '#shared/base/time.ts';
import type { ArtifactEvent } from '#shared/environments/rules/compare.ts';
import { allowedNotice, firedNotice } from '#shared/environments/rules/environment-notices.ts';
import type { ArtifactIdentity } from '#shared/environments/rules/running.ts';
import { chatText, mailOf, webhookPayload } from '#shared/notifications/rules/payload.ts';
import { Notice } from '#shared/notifications/rules/records.ts';
import { testFingerprint, testId } from '#test/support/ids.ts';

const HOST = 'https://evidence.example.com';
const AT = fromSeconds(1_692_616_493);
const PLACE = { org: 'acme', environment: { id: testId<EnvironmentId>('e1'), name: 'prod' } };
const SNAPSHOT = { index: 1035, at: AT, state: true };
const event = (row: ArtifactIdentity): ArtifactEvent<ArtifactIdentity> => ({
  type: 'started',
  row,
  annotation: { type: 'started-compliant', was: 0, now: 1 },
  description: '1 instance started running (from 0 to 1)',
});
const STARTED = {
  trigger: 'ON_STARTED_ARTIFACT',
  event: event({ name: 'web:1.2', fingerprint: testFingerprint('f1') }),
} as const;
const PROVENANCE = {
  flow: 'web',
  compliant: true,
  commit: 'c0ffee',
  commitUrl: 'https://git.example/c',
  buildUrl: 'https://ci.example/1',
};

describe('the notice of an environment', () => {
  test('the notice of a start becomes the documented payload', () => {
    expect(JSON.parse(webhookPayload(firedNotice(PLACE, SNAPSHOT, STARTED, PROVENANCE), HOST))).toEqual({
      version: '1.0',
      timestamp: '1692616493',
      org: 'acme',
      environment: 'prod',
      event_type: 'ARTIFACT_STARTED',
      description: '1 instance started running (from 0 to 1)',
      snapshot: {
        index: '1035',
        status: 'compliant',
        html_url: `${HOST}/acme/environments/prod/snapshots/1035`,
        api_url: `${HOST}/api/v2/snapshots/acme/prod/1035`,
      },
      artifact: {
        name: 'web:1.2',
        fingerprint: testFingerprint('f1'),
        provenance: {
          flow: 'web',
          status: 'compliant',
          commit: 'c0ffee',
          commit_url: 'https://git.example/c',
          build_url: 'https://ci.example/1',
          html_url: `${HOST}/acme/flows/web/artifacts/f1`,
          api_url: `${HOST}/api/v2/artifacts/acme/web/fingerprint/f1`,
        },
      },
    });
  });

  test('has an id that depends only on environment, snapshot, trigger and artifact', () => {
    const idOf = (...[place, snapshot, fired]: Parameters<typeof firedNotice>) =>
      firedNotice(place, snapshot, fired, null).event;
    const id = idOf(PLACE, SNAPSHOT, STARTED, null);
    expect(idOf({ ...PLACE, environment: { id: testId('e1'), name: 'live' } }, SNAPSHOT, STARTED, PROVENANCE)).toBe(id);
    const others = [
      idOf({ ...PLACE, environment: { id: testId('e2'), name: 'prod' } }, SNAPSHOT, STARTED, null),
      idOf(PLACE, { ...SNAPSHOT, index: 1036 }, STARTED, null),
      idOf(PLACE, SNAPSHOT, { trigger: 'ON_EXITED_ARTIFACT', event: STARTED.event }, null),
      idOf(
        PLACE,
        SNAPSHOT,
        { ...STARTED, event: event({ name: 'web:1.3', fingerprint: testFingerprint('f1') }) },
        null,
      ),
      idOf(PLACE, SNAPSHOT, { trigger: 'ON_COMPLIANT_ENV', event: null }, null),
      idOf(PLACE, SNAPSHOT, { trigger: 'ON_NON_COMPLIANT_ENV', event: null }, null),
    ];
    expect(new Set([id, ...others]).size).toBe(others.length + 1);
  });

  test('the notice of a change of state has no artifact', () => {
    const notice = firedNotice(
      PLACE,
      { ...SNAPSHOT, state: false },
      { trigger: 'ON_NON_COMPLIANT_ENV', event: null },
      null,
    );
    expect(notice).toMatchObject({
      eventType: 'ENV_NON_COMPLIANT',
      description: "Environment 'prod' became non-compliant",
      snapshot: { index: 1035, status: 'non-compliant' },
    });
    expect(notice).not.toHaveProperty('artifact');
    expect(chatText(notice, HOST)).toContain("❌ *Environment 'prod' became non-compliant*");
  });

  test('the notice of an allowed artifact names the user and the reason, and the snapshot if there is one', () => {
    const allowance = {
      ...{
        id: 'a1',
        at: AT,
        name: 'tool',
        fingerprint: testFingerprint('f2'),
        description: 'known to us',
        by: { name: 'ada' },
      },
    };
    const notice = allowedNotice(PLACE, allowance, { index: 3, state: null });
    expect(notice).toMatchObject({
      eventType: 'ARTIFACT_ALLOWED',
      actor: 'ada',
      snapshot: { index: 3, status: 'unknown' },
      description: "Artifact 'tool' was allowed in 'prod' by ada: known to us",
      artifact: { name: 'tool', fingerprint: 'f2' },
    });
    const before = JSON.parse(webhookPayload(allowedNotice(PLACE, allowance, null), HOST));
    expect(before).not.toHaveProperty('snapshot');
    expect(before.api_url).toBe(`${HOST}/api/v2/environments/acme/prod`);
  });

  test('names the artifact in the text for people', () => {
    const notice = firedNotice(PLACE, SNAPSHOT, STARTED, PROVENANCE);
    expect(chatText(notice, HOST)).toContain('*web:1.2: 1 instance started running (from 0 to 1)*');
    expect(mailOf(notice, HOST).subject).toBe('[acme] web:1.2: 1 instance started running (from 0 to 1) (prod #1035)');
  });

  test('can be stored', () => {
    for (const notice of [
      firedNotice(PLACE, SNAPSHOT, STARTED, PROVENANCE),
      firedNotice(PLACE, SNAPSHOT, STARTED, null),
    ]) {
      expect(Notice.parse(notice)).toEqual(notice);
    }
  });
});
