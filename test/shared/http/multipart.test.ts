import { describe, expect, test } from 'vitest';
import { noErrors } from '#shared/base/validation.ts';
import { INLINE_LIMIT, readForm } from '#shared/http/multipart.ts';
import type { FileRule } from '#shared/http/request.ts';

const files: FileRule[] = [
  { part: /^attachment_file(\.\d+)?$/, limit: 10 * 1024 * 1024, description: 'Evidence' },
  { part: 'template_file', alsoText: true, limit: 100, description: 'Template' },
];
const rule = { part: 'data_json', files };
const END = Buffer.from('--xyz--\r\n');

interface TestPart {
  name: string;
  content: string | Buffer;
  filename?: string;
  type?: string;
}

function form(parts: TestPart[], { boundary = 'xyz', end = `--${'xyz'}--\r\n` } = {}) {
  const chunks = parts.flatMap(({ name, content, filename, type }) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n`,
    type === undefined ? '' : `Content-Type: ${type}\r\n`,
    '\r\n',
    content,
    '\r\n',
  ]);
  return Buffer.concat([...chunks, end].map((chunk) => (Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk))));
}
const problems = async (body: Buffer) => {
  const errors = noErrors();
  await readForm('multipart/form-data; boundary=xyz', body, rule, errors);
  return { ...errors };
};
/** Reads a form without such problems. */
async function read(body: Buffer, contentType = 'multipart/form-data; boundary=xyz') {
  const errors = noErrors();
  const result = await readForm(contentType, body, rule, errors);
  expect({ ...errors }).toEqual({});
  return result;
}
const data = { name: 'data_json', content: '{"a":1}' };
const file = (name: string, content: string | Buffer = 'bytes') => ({
  name,
  content,
  filename: 'ü.bin',
  type: 'application/octet-stream',
});

describe('a form', () => {
  test('has a JSON part and several files with names in UTF-8', async () => {
    const { text, files: found } = await read(form([data, file('attachment_file'), file('attachment_file.0', '')]));
    expect(text).toBe('{"a":1}');
    expect(found).toEqual([
      {
        part: 'attachment_file',
        filename: 'ü.bin',
        contentType: 'application/octet-stream',
        bytes: Buffer.from('bytes'),
      },
      { part: 'attachment_file.0', filename: 'ü.bin', contentType: 'application/octet-stream', bytes: Buffer.alloc(0) },
    ]);
  });

  test('may carry its JSON part as a file', async () => {
    const { text, files: found } = await read(form([{ ...data, filename: 'data.json', type: 'application/json' }]));
    expect([text, found]).toEqual(['{"a":1}', []]);
  });

  test('may have an empty text in the place of a file', async () => {
    const body = form([data, { name: 'attachment_file', content: '' }]);
    expect(await read(body)).toEqual({ text: '{"a":1}', files: [] });
  });

  test('a form with unknown parts is refused, be they files or texts', async () => {
    const body = form([
      data,
      file('attachment_file.x'),
      file('attachment'),
      { name: '__proto__', content: 'x' },
      { name: 'note', content: '' },
    ]);
    expect(Object.entries(await problems(body)).toSorted()).toEqual([
      ['__proto__', expect.stringMatching(/^Unknown part '__proto__'/)],
      ['attachment', "Unknown part 'attachment'. The nearest known part is 'attachment_file'"],
      ['attachment_file.x', "Unknown part 'attachment_file.x'. The nearest known part is 'attachment_file.0'"],
      ['note', expect.stringMatching(/^Unknown part 'note'/)],
    ]);
  });

  test.each([
    ['no disposition', 'Content-Type: text/plain\r\n'],
    ['no name', 'Content-Disposition: form-data; filename="a"\r\n'],
    ['an empty name', 'Content-Disposition: form-data; name=""\r\n'],
    ['another disposition', 'Content-Disposition: attachment; name="attachment_file"; filename="a"\r\n'],
  ])('that has a part with %s is refused', async (_, headers) => {
    const part = Buffer.from(`--xyz\r\n${headers}\r\nevidence\r\n`);
    for (const body of [Buffer.concat([part, form([data])]), Buffer.concat([form([data], { end: '' }), part, END])]) {
      await expect(read(body)).rejects.toMatchObject({ errors: { data_json: 'A part of the form has no name' } });
    }
  });

  test.each([
    'multipart/form-data; boundary="xyz"',
    'multipart/form-data; charset=utf-8; boundary=xyz; x=y',
    'Multipart/Form-Data; BOUNDARY=xyz',
  ])('may have the type %s, a preamble and an epilogue', async (type) => {
    const body = Buffer.concat([Buffer.from('preamble\r\n'), form([data, file('attachment_file')]), END]);
    expect((await read(body, type)).files).toHaveLength(1);
  });

  test.each(['attachment_file', 'attachment_file.3'])('a form with a text as %s is refused', async (name) => {
    expect(await problems(form([data, { name, content: 'report.txt' }]))).toEqual({
      [name]: `The part '${name}' is a text, not a file. Send it with a file name: in curl, -F ${name}=@file`,
    });
  });

  test('may lack its JSON part', async () => {
    expect(await read(form([file('attachment_file')]))).toMatchObject({ text: undefined });
  });

  test('may have a very large JSON part', async () => {
    const content = JSON.stringify('x'.repeat(3_000_000));
    expect((await read(form([{ ...data, content }]))).text).toBe(content);
  });

  test('may have a document as a text field if the rule allows it, within the same limit', async () => {
    const pasted = { name: 'template_file', content: 'version: 1' };
    const { files: found } = await read(form([data, pasted]));
    expect(found).toMatchObject([{ part: 'template_file', bytes: Buffer.from('version: 1') }]);
    await expect(read(form([data, { ...pasted, content: 'x'.repeat(101) }]))).rejects.toMatchObject({
      kind: 'invalid',
    });
  });

  test('that repeats a file which may occur once is refused', async () => {
    expect(await problems(form([data, file('template_file'), file('template_file')]))).toEqual({
      template_file: "The part 'template_file' was sent more than once",
    });
  });

  test('may repeat a file which may occur more than once', async () => {
    const { files: found } = await read(form([data, file('attachment_file', 'a'), file('attachment_file', 'b')]));
    expect(found.map(({ bytes }) => String(bytes))).toEqual(['a', 'b']);
  });

  test('a form with two JSON parts is refused', async () => {
    await expect(read(form([data, data]))).rejects.toMatchObject({
      kind: 'invalid',
      errors: { data_json: "The part 'data_json' was sent more than once" },
    });
  });

  test('that is cut off at any place is refused', async () => {
    const whole = form([data, file('attachment_file', 'x'.repeat(100))]);
    for (const length of [0, 1, 30, 90, 150, whole.length - 60, whole.length - 10]) {
      await expect(read(whole.subarray(0, length)), `${length} bytes`).rejects.toMatchObject({ kind: 'invalid' });
    }
  });

  test.each(['multipart/form-data', 'multipart/form-data; boundary='])(
    'a form of type %s has no boundary',
    async (type) => {
      await expect(read(form([data]), type)).rejects.toMatchObject({ kind: 'invalid' });
    },
  );

  test('that is not UTF-8 is refused, but a replacement character that was sent is accepted', async () => {
    const content = Buffer.from([0x22, 0xff, 0xfe, 0x22]);
    await expect(read(form([{ ...data, content }]))).rejects.toMatchObject({
      errors: { data_json: 'The text is not UTF-8' },
    });
    expect((await read(form([{ ...data, content: '"\ufffd"' }]))).text).toBe('"\ufffd"');
  });
});

describe('a file in a form', () => {
  test('may have 4 MB and no byte more', async () => {
    const { files: found } = await read(form([data, file('attachment_file', Buffer.alloc(INLINE_LIMIT))]));
    expect(found[0]?.bytes).toHaveLength(INLINE_LIMIT);
    await expect(read(form([data, file('attachment_file', Buffer.alloc(INLINE_LIMIT + 1))]))).rejects.toMatchObject({
      kind: 'too-large',
      message: expect.stringContaining('POST /attachments/{org}'),
    });
  });

  test('a file in a form with a lower limit is refused under the name of its part', async () => {
    await expect(read(form([data, file('template_file', 'x'.repeat(101))]))).rejects.toMatchObject({
      kind: 'invalid',
      errors: { template_file: 'The file is larger than 100 bytes' },
    });
  });
});
