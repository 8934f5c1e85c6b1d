import { describe, expect, it } from 'vitest';
import { bytesText, exportsSentence, progressText, verifyCommand } from '#console/package/model/progress.ts';

const archive = {
  state: 'running' as const,
  waits_for: null,
  progress: { files: 3, bytes: 12_345 },
  problem: null,
};

describe('the progress of an archive', () => {
  it.each([
    [{ ...archive, waits_for: { what: 'a checkpoint' } }, 'Waiting for the log to cover the records …'],
    [archive, 'Putting together: 3 files, 12 kB …'],
    [{ ...archive, state: 'done' as const }, 'Ready: 3 files, 12 kB.'],
    [{ ...archive, state: 'failed' as const, problem: 'There is no record' }, 'It failed: There is no record.'],
    [{ ...archive, state: 'erased' as const }, 'It was removed, because a text that it can hold was erased.'],
  ])('is one sentence: %#', (one, sentence) => expect(progressText(one)).toBe(sentence));

  it('states bytes in the unit that fits', () => {
    expect([1, 999, 1000, 9_950, 12_345_678, 5e9].map(bytesText)).toEqual([
      '1 byte',
      '999 bytes',
      '1.0 kB',
      '9.9 kB',
      '12 MB',
      '5.0 GB',
    ]);
  });
});

describe('the page of exports', () => {
  it('begins with the state of the newest export', () => {
    expect(exportsSentence([])).toContain('one archive that proves itself');
    expect(exportsSentence([archive])).toContain('An export is being made');
    expect(exportsSentence([{ ...archive, state: 'failed', problem: 'Ten calls' }])).toBe(
      'The last export failed: Ten calls.',
    );
    expect(exportsSentence([{ ...archive, state: 'done' }, archive])).toBe('The last export is ready: 3 files, 12 kB.');
    expect(exportsSentence([{ ...archive, state: 'erased' }])).toContain('removed by an erasure');
  });

  it('quotes the key for the shell', () => {
    expect(verifyCommand('a.tar', "x+1+y'")).toBe("node verify.mjs a.tar --log-key 'x+1+y'\\'''");
  });
});
