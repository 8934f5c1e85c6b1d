import type { IncomingMessage } from 'node:http';
import busboy from 'busboy';
import { S3Failure } from './s3-failure.ts';

interface ParsedForm {
  /** The fields before the file, by lower-case name. Fields after the file are ignored, as S3 does. */
  fields: Map<string, string>;
  file: { name: string; bytes: Buffer } | undefined;
}

/** Largest size of all fields before the file, in bytes. */
const FIELDS_LIMIT = 20_000;

const malformed = (cause?: unknown) =>
  new S3Failure(
    400,
    'MalformedPOSTRequest',
    'The body of your POST request is not well-formed multipart/form-data.',
    {},
    cause,
  );

/**
 * Parses a form upload.
 *
 * @throws S3Failure if the body is not a complete form
 */
export async function parsePostForm(headers: IncomingMessage['headers'], body: Buffer): Promise<ParsedForm> {
  const fields = new Map<string, string>();
  let file: ParsedForm['file'];
  let total = 0;
  const parser = openParser(headers);
  await new Promise<void>((resolve, reject) => {
    const fail = (cause: unknown) => reject(cause instanceof S3Failure ? cause : malformed(cause));
    parser.on('field', (name, value, { nameTruncated, valueTruncated }) => {
      total += name.length + value.length;
      if (nameTruncated || valueTruncated || total > FIELDS_LIMIT) {
        fail(
          new S3Failure(
            400,
            'MaxPostPreDataLengthExceeded',
            'Your POST request fields preceding the upload file were too large.',
          ),
        );
      }
      if (!file) fields.set(name.toLowerCase(), value);
    });
    parser.on('file', (_name, stream, { filename }) => {
      const chunks: Buffer[] = [];
      stream.on('error', fail);
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        file ??= { name: filename ?? '', bytes: Buffer.concat(chunks) };
      });
    });
    parser.on('error', fail);
    parser.on('close', resolve);
    parser.end(body);
  });
  return { fields, file };
}

function openParser(headers: IncomingMessage['headers']): busboy.Busboy {
  try {
    return busboy({ headers, defParamCharset: 'utf8', limits: { fieldSize: FIELDS_LIMIT } });
  } catch (cause) {
    throw malformed(cause);
  }
}
