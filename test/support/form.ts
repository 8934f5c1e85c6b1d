/** Parts of a form: text of fields, bytes or text of files. */
export interface TestForm {
  fields?: Record<string, string>;
  files?: Record<string, string | Uint8Array<ArrayBuffer>>;
}

export async function encodeForm(form: TestForm | FormData): Promise<{ contentType: string; bytes: Buffer }> {
  const encoded = new Response(form instanceof FormData ? form : formOf(form));
  return {
    contentType: encoded.headers.get('content-type') ?? '',
    bytes: Buffer.from(await encoded.arrayBuffer()),
  };
}

function formOf({ fields = {}, files = {} }: TestForm): FormData {
  const form = new FormData();
  for (const [name, text] of Object.entries(fields)) form.append(name, text);
  for (const [name, content] of Object.entries(files)) form.append(name, new Blob([content]), name);
  return form;
}
