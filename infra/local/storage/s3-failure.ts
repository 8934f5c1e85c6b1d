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

/** The members of an element: texts, or elements of their own. */
interface XmlMembers {
  readonly [name: string]: string | number | boolean | XmlMembers;
}

/** Returns an XML document. */
export const xml = (root: string, members: XmlMembers): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${root}>${elements(members)}</${root}>`;

const elements = (members: XmlMembers): string =>
  Object.entries(members)
    .map(([name, value]) => {
      const content = typeof value === 'object' ? elements(value) : escapeXml(String(value));
      return `<${name}>${content}</${name}>`;
    })
    .join('');

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeXml = (text: string) => text.replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char);
