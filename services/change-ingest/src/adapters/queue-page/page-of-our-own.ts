import { ExpressAdapter } from '@bull-board/express';

type EntryRoute = Parameters<ExpressAdapter['setEntryRoute']>[0];

/** The page without what it would load from elsewhere (a font): whoever looks at it may have no way out. */
export class PageOfOurOwn extends ExpressAdapter {
  override setEntryRoute({ route, handler }: EntryRoute): this {
    this.app.get(route, (_request, response, next) => {
      const { name, params } = handler({ basePath: this.basePath, uiConfig: this.uiConfig ?? {} });
      response.render(name, params, (error: Error | null, html: string) => {
        if (error) next(error);
        else response.send(html.replace(/<link[^>]*href="https?:[^>]*>/g, ''));
      });
    });
    return this;
  }
}
