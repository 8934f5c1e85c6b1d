import { gunzipSync } from 'node:zlib';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TestAnswer } from '#test/support/gateway.ts';
import type { Document, Operation } from './document.ts';

/** Name of the document among the schemas of the validator. */
const DOCUMENT = 'document';

/** Compares answers with the OpenAPI document. */
export class AnswerChecker {
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false, validateSchema: false });
  readonly #checks = new Map<string, ValidateFunction>();

  constructor({ components }: Document) {
    // The components are compiled once for all answers that refer to them.
    this.#ajv.addSchema({ $id: DOCUMENT, components });
  }

  /**
   * Checks an answer.
   * @param isReached whether the address certainly leads to the operation; if a parameter is empty or contains a slash,
   *   the address may belong to another operation or to none
   * @returns a sentence about the problem, or undefined if there is none
   */
  problemOf(operation: Operation, isReached: boolean, { status, headers, text, json }: TestAnswer): string | undefined {
    if (status >= 500) return `a fault: ${text.slice(0, 300)}`;
    if (!headers['x-request-id']) return 'no X-Request-ID';
    if (!isReached) return undefined;
    const content = operation.responses[String(status)]?.content;
    if (!content) return `the status ${status} is not in the document: ${text.slice(0, 200)}`;
    const type = headers['content-type'] ?? '';
    const declared = content[type];
    if (!declared) return `the type ${type} is not in the document`;
    const body = headers['content-encoding'] === 'gzip' ? unzipped(text) : type === 'application/json' ? json : text;
    const check = this.#checkOf(`${operation.operationId} ${status}`, declared.schema);
    if (check(body)) return undefined;
    const [{ instancePath = '', message = '', params = {} } = {}] = check.errors ?? [];
    return `does not match its schema at '${instancePath}': ${message} ${JSON.stringify(params)}; body ${text.slice(0, 500)}`;
  }

  #checkOf(name: string, schema: object): ValidateFunction {
    const known = this.#checks.get(name);
    if (known) return known;
    const text = JSON.stringify(schema).replaceAll('"#/components/', `"${DOCUMENT}#/components/`);
    const check = this.#ajv.compile(JSON.parse(text) as object);
    this.#checks.set(name, check);
    return check;
  }
}

const unzipped = (text: string): unknown => JSON.parse(gunzipSync(Buffer.from(text, 'base64')).toString('utf8'));
