import { type TestMcpServer, startTestMcpServer } from '../support/mcp/test-server.ts';

/** The test MCP server over Streamable HTTP, which every Workspace calls with credentials of its own. */
export class RemoteServer {
  private constructor(
    private readonly oracle: string,
    private server: TestMcpServer,
  ) {}

  static async start(oracle: string): Promise<RemoteServer> {
    return new RemoteServer(oracle, await startTestMcpServer(['--oracle', oracle]));
  }

  get url(): string {
    return this.server.url;
  }

  /** Kills it and starts it again where it was: it has forgotten every session. */
  async restart(): Promise<void> {
    await this.server.kill();
    this.server = await startTestMcpServer(['--oracle', this.oracle, '--port', String(this.server.port)]);
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }
}
