import { describe, expect, it } from 'vitest';
import { junitFile } from '#console/trail/attestation/model/junit-file.ts';
import {
  failedTests,
  isDamage,
  packagesIn,
  previewNote,
  scanOf,
  textsOf,
} from '#console/trail/attestation/model/preview.ts';
import { packagesOf } from '#console/trail/attestation/model/sbom-file.ts';
import { SARIF } from './sent.ts';

/** A file as tools write it. */
const XML = `<?xml version="1.0" encoding="UTF-8"?>
<!-- <testcase name="in a comment"><failure/></testcase> -->
<testsuites><testsuite name="rounding" tests="4" failures="2" errors="1">
  <testcase name="rounds &lt;half&gt; up" classname="money" time="0.1"><failure message="expected 3 > 2 &#x1F600;" type="AssertionError">at money.test.ts:17</failure></testcase>
  <testcase name='reads "x"' classname=""><error type="Boom"><![CDATA[<b>trace</b>]]></error></testcase>
  <testcase name="closed"><failure/></testcase>
  <testcase name="ok" classname="money"/>
  <testcase name="waits"><skipped/></testcase>
</testsuite></testsuites>`;

const PREVIEW = {
  kind: 'text',
  text: null,
  data: null,
  media_type: null,
  truncated: false,
  files: null,
  file_count: null,
  why: null,
};
const preview = (more: object) => ({ ...PREVIEW, ...more }) as never;

describe('a file of test results', () => {
  it('names each test that failed, with message and trace', () => {
    expect(junitFile(XML)).toEqual({
      failed: [
        {
          name: 'rounds <half> up',
          place: 'money',
          outcome: 'failed',
          message: 'expected 3 > 2 😀',
          details: 'at money.test.ts:17',
        },
        { name: 'reads "x"', place: 'rounding', outcome: 'error', message: 'Boom', details: '<b>trace</b>' },
        { name: 'closed', place: 'rounding', outcome: 'failed', message: null, details: '' },
      ],
      isComplete: true,
    });
  });

  it('is read up to each place at which it may be cut', () => {
    for (let end = 0; end < XML.length; end += 1) {
      const read = junitFile(XML.slice(0, end));
      if (read) expect([read.isComplete, read.failed.length <= 3]).toEqual([false, true]);
    }
  });

  it('is nothing for other texts', () => {
    for (const text of ['', 'plain', '<html><testcase name="a"><failure/></testcase></html>', '<', '{"a":1}'])
      expect(junitFile(text)).toBeNull();
  });

  it('is read in one pass, whatever does not end', () => {
    for (const piece of ['<!--', '<![CDATA[', '<testcase name="', '<testsuite><', '&#x']) {
      const read = junitFile(`<testsuite>${piece.repeat(60_000)}`);
      expect(read?.failed).toEqual([]);
    }
  });
});

describe('the tests that failed', () => {
  it('come from a text or from the files of an archive', () => {
    expect(failedTests(preview({ text: XML }), 3)).toMatchObject({ tests: { length: 3 }, note: '' });
    const files = [{ name: 'a.xml', size: 1, text: XML, truncated: false }];
    expect(failedTests(preview({ kind: 'archive', files, file_count: 1 }), 3).tests).toHaveLength(3);
  });

  it('say if the file shows another number than the report', () => {
    expect(failedTests(preview({ text: XML }), 4).note).toBe(
      'The report counts 4 failures; the attached file shows 3.',
    );
    expect(failedTests(preview({ text: XML.slice(0, 430), truncated: true }), 3).note).toContain(
      'only its beginning is read',
    );
    expect(failedTests(preview({ text: 'a log' }), 3).note).toBe(
      'The attached file does not name the tests that failed.',
    );
  });
});

describe('the packages of an SBOM', () => {
  it('are those of CycloneDX at every level without files', () => {
    const licenses = [{ license: { id: 'MIT' } }, { expression: 'A OR B' }];
    const inner = { type: 'library', group: '@types', name: 'node', purl: 'pkg:npm/node' };
    const components = [
      { type: 'library', name: 'undici', version: '6.1.0', licenses, components: [inner] },
      { type: 'file', name: 'a.txt' },
    ];
    expect(packagesOf({ bomFormat: 'CycloneDX', components })).toEqual([
      { name: 'undici', version: '6.1.0', licences: 'MIT, A OR B', address: null },
      { name: '@types/node', version: null, licences: '', address: 'pkg:npm/node' },
    ]);
  });

  it('are those of SPDX', () => {
    const externalRefs = [{ referenceType: 'purl', referenceLocator: 'pkg:npm/a@1' }];
    const packages = [{ name: 'a', versionInfo: '1', licenseConcluded: 'NOASSERTION', externalRefs }, 'text'];
    expect(packagesOf({ spdxVersion: 'SPDX-2.3', packages })).toEqual([
      { name: 'a', version: '1', licences: '', address: 'pkg:npm/a@1' },
    ]);
  });

  it('are nothing for other documents', () => {
    for (const other of [null, 'text', [], {}, { bomFormat: 'Other' }]) expect(packagesOf(other)).toBeNull();
  });
});

describe('a preview', () => {
  it('says what is not shown and why', () => {
    expect(previewNote(preview({ text: 'a' }))).toBe('');
    expect(previewNote(preview({ text: 'a', truncated: true }))).toContain('first 256 KB');
    const files = [
      { name: 'a', size: 1, text: 'a', truncated: false },
      { name: 'b', size: 9, text: null, truncated: false },
    ];
    const archive = preview({ kind: 'archive', files, file_count: 2 });
    expect(previewNote(archive)).toBe('An archive with 2 files. The text of 1 is shown, up to 256 KB together.');
    expect(textsOf(archive)).toEqual([{ name: 'a', text: 'a', isCut: false }]);
    for (const why of ['too_large', 'not_text', 'damaged', 'missing', 'other_content'])
      expect(previewNote(preview({ kind: 'none', why }))).not.toBe('');
    expect([isDamage(preview({ why: 'other_content' })), isDamage(preview({ why: 'too_large' }))]).toEqual([
      true,
      false,
    ]);
  });

  it('finds a scan or packages in a whole text only', () => {
    const text = `\uFEFF${JSON.stringify(SARIF)}`;
    expect(scanOf(preview({ text }))?.found).toHaveLength(2);
    expect(scanOf(preview({ text, truncated: true }))).toBeNull();
    expect(packagesIn(preview({ text }))).toBeNull();
    expect(packagesIn(preview({ text: '{' }))).toBeNull();
  });
});
