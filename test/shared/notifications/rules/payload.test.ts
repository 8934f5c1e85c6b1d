import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chatText, mailOf, webhookPayload } from '#shared/notifications/rules/payload.ts';
import type { Notice } from '#shared/notifications/rules/records.ts';
import { testNotice } from '#shared/notifications/rules/triggers.ts';
import {
  AT,
  aMoment,
  anAction,
  anArtifactMoment,
  anAttestationMoment,
  ENVIRONMENT_NOTICE,
  FINGERPRINT,
  noticed,
} from './notices.ts';

const HOST = 'https://evidence.example.com';
const payload = (notice: Notice): unknown => JSON.parse(webhookPayload(notice, HOST));

describe('the payload of a webhook, version 1.0', () => {
  test('the payload of an environment event is the documented one, with index and time as strings', () => {
    expect(payload(ENVIRONMENT_NOTICE)).toEqual({
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
        fingerprint: FINGERPRINT,
        provenance: {
          flow: 'web',
          status: 'compliant',
          commit: 'c0ffee',
          html_url: `${HOST}/acme/flows/web/artifacts/${FINGERPRINT}`,
          api_url: `${HOST}/api/v2/artifacts/acme/web/fingerprint/${FINGERPRINT}`,
        },
      },
    });
  });

  test('the payload of a state change has no artifact, and the payload of an unknown artifact no provenance', () => {
    const { artifact, ...change } = ENVIRONMENT_NOTICE;
    expect(payload(change)).not.toHaveProperty('artifact');
    const unknown = { ...change, artifact: { name: 'web', fingerprint: FINGERPRINT } };
    expect(payload(unknown)).toMatchObject({ artifact: { name: 'web', fingerprint: FINGERPRINT } });
    expect(payload(unknown)).not.toHaveProperty('artifact.provenance');
  });

  test('the payload of an attestation names flow, trail and the verdict', () => {
    expect(payload(noticed(anAttestationMoment({ compliant: false })))).toEqual({
      version: '1.0',
      timestamp: '1795132800',
      org: 'acme',
      flow: 'web',
      trail: 'release-42',
      event_type: 'ATTESTATION_REPORTED',
      description:
        "Attestation 'unit-tests' (junit) was reported as non-compliant to trail 'release-42' of flow 'web' by ada",
      html_url: `${HOST}/acme/flows/web/trails/release-42?attestation_id=att-1`,
      api_url: `${HOST}/api/v2/trails/acme/web/release-42`,
      attestation: { id: 'att-1', name: 'unit-tests', type: 'junit', is_compliant: false },
    });
  });

  test('the payload of an artifact report has the artifact with its flow and commit', () => {
    expect(payload(noticed(anArtifactMoment()))).toMatchObject({
      event_type: 'ARTIFACT_ATTESTED',
      artifact: { name: 'web:1.2', fingerprint: FINGERPRINT, provenance: { flow: 'web', commit: 'c0ffee' } },
    });
  });

  test('the payload of a test event is marked', () => {
    expect(payload(testNotice(anAction(), 'acme', 'e1', AT))).toMatchObject({ event_type: 'TEST', test: true });
    expect(payload(noticed(aMoment()))).not.toHaveProperty('test');
  });
});

describe('a reason', () => {
  const notice = noticed(anAttestationMoment({ compliant: false }));
  const reason = { says: 'web fails <unit> & more', attestation: 'att-1' };

  test('a reason is the last field of the body, and changes nothing before it', () => {
    const without = webhookPayload(notice, HOST);
    expect(webhookPayload({ ...notice, reason }, HOST)).toBe(
      `${without.slice(0, -1)},"reason":"web fails <unit> & more"}`,
    );
  });

  test('a reason has a line of its own in chats and mails, without markup', () => {
    expect(chatText({ ...notice, reason }, HOST).split('\n')[1]).toBe('web fails &lt;unit&gt; &amp; more');
    expect(chatText(notice, HOST).split('\n')).toHaveLength(2);
    const { text, html } = mailOf({ ...notice, reason }, HOST);
    expect(text.split('\n\n')[1]).toBe(reason.says);
    expect(html).toContain('<p>web fails &lt;unit&gt; &amp; more</p>');
  });
});

describe('a chat message', () => {
  test('a headline names an artifact as pages do, without its registry', () => {
    const artifact = { name: `registry.example/team/web:1.2@sha256:${FINGERPRINT}`, fingerprint: FINGERPRINT };
    expect(chatText({ ...ENVIRONMENT_NOTICE, artifact }, HOST)).toMatch(/^\*web:1\.2: 1 instance started/);
  });

  test('has the event first, then place, verdict and actor', () => {
    expect(chatText(noticed(anAttestationMoment()), HOST)).toBe(
      '✅ *Attestation unit-tests is compliant*\n' +
        `<${HOST}/acme/flows/web/trails/release-42?attestation_id=att-1|web / release-42>` +
        ' · type junit · trail is COMPLIANT · by ada · acme',
    );
    expect(chatText(noticed(anAttestationMoment({ compliant: false })), HOST)).toMatch(
      /^❌ \*Attestation unit-tests is not compliant\*\n/,
    );
    expect(chatText(noticed(aMoment()), HOST)).toMatch(/^\*Trail release-42 started\*\n/);
    expect(chatText(noticed(anArtifactMoment()), HOST)).toMatch(/^\*Artifact web:1\.2 reported\*\n/);
  });

  test('a chat message about an environment links its snapshot, and a chat message about a test links nothing', () => {
    expect(chatText(ENVIRONMENT_NOTICE, HOST)).toContain(`/snapshots/1035|prod #1035> · environment is compliant`);
    expect(chatText(testNotice(anAction(), 'acme', 'e1', AT), HOST)).toBe(
      "*[Test] Test of the action 'tell': nothing happened*\nacme",
    );
  });

  test('escapes names that look like mentions or links', () => {
    const moment = anArtifactMoment();
    const text = chatText(
      noticed({
        ...moment,
        content: { ...moment.content, by: { name: '<!channel>' }, show: { filename: '<http:x|y>&' } },
      }),
      HOST,
    );
    expect(text).toContain('Artifact &lt;http:x|y&gt;&amp; reported');
    expect(text).toContain('by &lt;!channel&gt;');
    expect(text.match(/<[^>]*>/g)).toHaveLength(1);
  });
});

describe('a mail', () => {
  test('has the same content as text and as HTML', () => {
    const { subject, text, html } = mailOf(noticed(anAttestationMoment()), HOST);
    const url = `${HOST}/acme/flows/web/trails/release-42?attestation_id=att-1`;
    expect(subject).toBe('[acme] Attestation unit-tests is compliant (web / release-42)');
    expect(text).toContain("Attestation 'unit-tests' (junit) was reported as compliant");
    expect(text).toContain(url);
    expect(html).toContain(`<a href="${url}">web / release-42</a>`);
  });

  test('escapes names and descriptions in its HTML', () => {
    const moment = anArtifactMoment();
    const hostile = { ...moment.content, by: { name: '"><script>alert(1)</script>' }, show: { filename: "<b>'&" } };
    const { html } = mailOf(noticed({ ...moment, content: hostile }), HOST);
    expect(html).not.toContain('<script');
    expect(html).toContain('&quot;&gt;&lt;script&gt;');
    expect(html).toContain('&lt;b&gt;&#39;&amp;');
  });

  test('has a subject of one short line for any names', { timeout: 30_000 }, () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.constant('x\r\nBcc: everybody@example.com'),
    );
    fc.assert(
      fc.property(name, (filename) => {
        const moment = anArtifactMoment();
        const { subject } = mailOf(noticed({ ...moment, content: { ...moment.content, show: { filename } } }), HOST);
        expect(subject).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        expect([...subject].length).toBeLessThanOrEqual(150);
      }),
    );
  });
});
