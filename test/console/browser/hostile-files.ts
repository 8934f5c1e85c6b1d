import { SHORT } from './hostile-texts.ts';

/** Names in a template: of an attestation, and of an artifact. */
export const SLOT = '__proto__';
export const ARTIFACT = 'prototype';

export const TEMPLATE = `version: 1
trail:
  attestations:
    - name: ${SLOT}
      type: generic
  artifacts:
    - name: ${ARTIFACT}
      attestations:
        - name: scan
          type: snyk
`;
export const STRICT = `_schema: https://evidence.example/schemas/policy/environment/v1
artifacts:
  provenance:
    required: true
  trail-compliance:
    required: true
`;
export const REGO = `package policy\n\nimport rego.v1\n\nallow := false\n\nviolations contains ${JSON.stringify(SHORT)}\n`;

const inXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
/** Files of tools, with the text in each field that the console shows. */
export const TEST_RESULTS = `<testsuite name="${inXml(SHORT)}"><testcase name="${inXml(SHORT)}" classname="${inXml(SHORT)}">
<failure message="${inXml(SHORT)}"><![CDATA[${SHORT}]]></failure></testcase></testsuite>`;
export const SCAN = JSON.stringify({
  version: '2.1.0',
  runs: [
    {
      tool: { driver: { name: SHORT, rules: [{ id: 'C', helpUri: 'javascript:alert(1)' }] } },
      results: [{ ruleId: SHORT, level: SHORT, message: { text: SHORT } }],
    },
  ],
});
export const PARTS = JSON.stringify({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  components: [
    ...['__proto__', SHORT].map((name) => ({ type: 'library', name, version: SHORT, purl: SHORT })),
    { type: 'library', name: SHORT, version: SHORT, purl: 'pkg:npm/lodash' },
  ],
});

/** A statement about an artifact, which nobody signed. */
export const envelopeAbout = (sha256: string): string =>
  JSON.stringify({
    payloadType: 'application/vnd.in-toto+json',
    payload: Buffer.from(
      JSON.stringify({
        _type: 'https://in-toto.io/Statement/v1',
        predicateType: '<script>alert(6)</script>',
        subject: [{ name: '<script>alert(7)</script>', digest: { sha256 } }],
      }),
    ).toString('base64'),
    signatures: [{ sig: 'AA==' }],
  });
