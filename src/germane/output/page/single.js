// A page with one figure.
import { byId } from "./dom.js";
import { holdUntilDrawn, singleFigure } from "./figures.js";

holdUntilDrawn();
singleFigure(byId("figure"));
