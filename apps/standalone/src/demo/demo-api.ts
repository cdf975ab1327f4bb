/** The HTTP APIs as the demo uses them: management and read API, each on its own port. */
export class DemoApi {
  constructor(
    private readonly origins: { readonly management: string; readonly projector: string },
    private readonly token: string,
  ) {}

  /** Sends a manifest or asks for something; rejects with the problem document's detail when it is refused. */
  async call(method: string, path: string, body?: { readonly json: unknown; readonly headers?: Record<string, string> }): Promise<unknown> {
    const origin = path.startsWith('/api/tool-governance') ? this.origins.projector : this.origins.management;
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, ...(body && { 'content-type': 'application/json' }), ...body?.headers },
      ...(body && { body: JSON.stringify(body.json) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${await response.text()}`);
    return response.json();
  }

  /** Reads a resource, changes its definition and writes it back under its ETag. */
  async change(path: string, definition: Readonly<Record<string, unknown>>): Promise<void> {
    const found = await fetch(`${this.origins.management}${path}`, { headers: { authorization: `Bearer ${this.token}` } });
    if (!found.ok) throw new Error(`GET ${path} was answered ${found.status}: ${await found.text()}`);
    const resource = (await found.json()) as { definition: object };
    await this.call('PUT', path, {
      json: { ...resource, definition: { ...resource.definition, ...definition } },
      headers: { 'if-match': found.headers.get('etag') ?? '' },
    });
  }
}
