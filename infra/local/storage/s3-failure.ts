/** An error with the status, the code, the sentence and the XML of S3. */
export class S3Failure extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, string | number>>;

  constructor(
    status: number,
    code: string,
    message: string,
    details: Record<string, string | number> = {},
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'S3Failure';
    this.status = status;
    this.code = code;
    this.details = details;
  }

  toXml(requestId: string): string {
    const members = { Code: this.code, Message: this.message, ...this.details, RequestId: requestId };
    return xml('Error', members);
  }
}

export const accessDenied = (message = 'Access Denied', details: Record<string, string | number> = {}): S3Failure =>
  new S3Failure(403, 'AccessDenied', message, details);

export const invalidArgument = (message: string, name: string, value: string): S3Failure =>
  new S3Failure(400, 'InvalidArgument', message, { ArgumentName: name, ArgumentValue: value });

/** Returns an XML document with one level of elements. */
export const xml = (root: string, members: Record<string, string | number>): string => {
  const body = Object.entries(members).map(([name, value]) => `<${name}>${escapeXml(String(value))}</${name}>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}>${body.join('')}</${root}>`;
};

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeXml = (text: string) => text.replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char);
